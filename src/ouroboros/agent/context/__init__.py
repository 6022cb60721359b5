"""What a model is given to read: history, briefings, images, and what stands for them when it is full."""
