"""A V8 isolate in a worker process of its own, and what goes to it and comes back."""
