"""The tools every session has: files, search, shell, patches, the plan and the end.

Refuses: to decide whether a call may happen. That is the orchestrator's part.
"""
