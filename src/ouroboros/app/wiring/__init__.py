"""Where rooms are joined into one open session: its mind, its tools, its REPLs."""
