"""The person's files: patches, checkpoints, other repositories and maps of them; bundles come later.

Refuses: to touch the person's own .git, index, stash or refs.
"""
