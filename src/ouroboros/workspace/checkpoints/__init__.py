"""The person's files as they were: snapshots in a Git repository of our own, and the way back.

Refuses: to touch the person's ``.git``, index, stash or refs, to follow a link, and to overwrite what is
kept nowhere. Snapshots are written by ourselves and not by ``git add``, which leaves out nested
repositories, empty folders and exact modes, and changes bytes by attributes; what is written is plain Git.
"""
