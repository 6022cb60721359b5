"""What waits for the person: a yes to a call, and words in answer to a question."""
