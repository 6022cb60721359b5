"""Commands for this program on this machine: settings, checks, tools, completion."""
