"""Work sessions: a work tree of the person's repository for each piece of work, with named checkpoints.

Refuses: to change the main tree but by a merge, and to leave a commit that nothing names.
"""
