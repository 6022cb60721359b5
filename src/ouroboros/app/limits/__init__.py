"""What the person may spend in a day and a month, over all sessions."""
