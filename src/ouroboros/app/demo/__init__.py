"""The demos: what they show, and the model's part of them as a script."""
