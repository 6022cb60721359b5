"""Speaking with a model: which one is asked, and its reply while it arrives."""
