"""Commands for models and those who serve them."""
