"""What pages asked the network for and wrote to their consoles, the last of it."""
