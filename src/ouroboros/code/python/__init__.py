"""Python that a model wrote, in a process of its own that keeps its variables between calls."""
