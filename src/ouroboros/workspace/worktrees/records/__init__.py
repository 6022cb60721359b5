"""What is written down of work sessions, by which names git knows them, and who may write it."""
