"""What was said and done, as blocks that are laid out only where the person looks."""
