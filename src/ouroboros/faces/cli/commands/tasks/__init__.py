"""Commands that open sessions: run, chat, browse, rlm, review, serve and the demonstrations."""
