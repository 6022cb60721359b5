"""Commands of the chat that begin with a slash, a module for each subject, loaded when one is typed."""
