"""Programs by family, and the options with which each only reads; ``options.spec`` says how a line is read."""
