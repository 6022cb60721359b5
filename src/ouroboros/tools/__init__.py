"""What the agent can do: the Tool protocol, the registry, the orchestrator, the built-in tools.

Refuses: to run any tool except through the orchestrator's five steps.
"""
