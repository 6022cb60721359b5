"""What a person types, besides words for the model: kept lines, commands of their own, their editor."""
