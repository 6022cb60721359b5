"""What a browser may ask the network for: who decides, and how it is held to it."""
