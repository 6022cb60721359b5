"""The Recursive-Language-Model mind and its hands, the block parser, task reinforcement.

Refuses: to end a run by anything but setFinal. Not built yet.
"""
