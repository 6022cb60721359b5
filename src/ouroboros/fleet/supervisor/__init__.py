"""A child program that does an agent's work, watched from outside: it always comes to a result.

Refuses: to trust what the child says of itself further than its messages go, and to wait for ever.
"""
