"""What a reviewer said: read into a review, put together from parts, shown and told."""
