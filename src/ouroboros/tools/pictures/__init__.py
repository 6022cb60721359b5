"""Pictures for a model: what a file says of itself, and making a large one small in a process apart."""
