"""What the person types: keys, lines, tasks, and answers to questions."""
