"""The changes of a bundle on the whole screen: a person takes each file, or single hunks of it, or not."""
