"""What the test server says, in each wire format."""
