"""The engine's faces: cli, tui, web, acp, ipc, mcp. Commands go down, events come up.

Refuses: to reach past app and core.
"""
