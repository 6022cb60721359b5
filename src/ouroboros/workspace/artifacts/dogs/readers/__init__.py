"""One module for each dialect: lines of a bundle in, changes and refusals out. Pure."""
