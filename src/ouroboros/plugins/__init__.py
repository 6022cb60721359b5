"""What others bring: skills, plugin manifests, hooks, the MCP client.

Refuses: to load anything from a folder the person has not trusted. Only hooks are built yet.
"""
