"""Our tools served over MCP. Not built yet.

Refuses: to serve a tool that the rules deny.
"""
