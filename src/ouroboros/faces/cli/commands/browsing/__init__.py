"""Commands for the browser itself."""
