"""The one line at the foot: model, mode, branch, context, cost, and what runs."""
