"""A session as a document that leaves this machine: lines of JSON, Markdown, or a page."""
