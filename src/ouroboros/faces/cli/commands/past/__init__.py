"""Commands for what sessions left behind: to list, search and export it, and to go back."""
