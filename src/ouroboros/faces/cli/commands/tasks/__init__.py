"""Commands that do a task: run, chat, browse, rlm and the demonstrations."""
