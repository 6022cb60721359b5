"""A session, its files and their checkpoints in one archive, to go on with on another machine."""
