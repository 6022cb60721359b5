"""What a session does around its runs: words, wishes, hooks, calls begun early or again, ends, a crash."""
