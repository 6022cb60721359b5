"""Pictures of pages and pages on paper, each kept as an artifact."""
