"""The loop, the tool-calling mind, context, compaction, prompts, the session.

Refuses: to know any face, vendor or database. It gets its model, hands and journal handed in.
"""
