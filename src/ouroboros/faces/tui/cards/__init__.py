"""Questions over the prompt: a yes to be given, something only the person can decide, a plan.

Refuses: to answer by itself, or by a key that was meant for the prompt.
"""
