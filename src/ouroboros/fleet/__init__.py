"""More than one run: sub-agents, jobs, mailbox, reviewer, scheduler, daemon.

Refuses: to widen a child's rights beyond its parent's. Not built yet.
"""
