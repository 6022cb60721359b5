"""What is where in a repository: symbols by rank, as an outline within a budget.

Refuses: to run or import anything of what it reads.
"""
