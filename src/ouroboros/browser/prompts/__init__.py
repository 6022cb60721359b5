"""What a browser would ask a person: dialogs, permissions, passwords, windows; nothing hangs on them."""
