"""Commands for what sessions left behind: lists, searches, exports."""
