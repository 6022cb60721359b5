"""The last words of a run as JSON by a schema that the person gives."""
