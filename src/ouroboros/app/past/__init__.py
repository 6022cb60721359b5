"""Past sessions: listed, searched, written out."""
