"""Working towards a goal: what is set and changed, when a turn begins by itself, when that ends."""
