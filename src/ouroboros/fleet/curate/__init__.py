"""Which files of a project a task needs: heuristics first, then a model that ranks what they found.

Refuses: to let a model read files, or to believe its list: only candidates can be chosen.
"""
