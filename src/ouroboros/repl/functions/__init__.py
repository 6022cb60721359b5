"""What code in the REPL can call: each function is a tool, and goes the same way as every tool."""
