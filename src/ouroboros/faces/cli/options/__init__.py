"""The options that commands share, and the settings they become."""
