"""The person's files: the patch engine today; checkpoints, work trees, bundles and verification later.

Refuses: to touch the person's own .git, index, stash or refs.
"""
