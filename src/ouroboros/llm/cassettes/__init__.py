"""What goes to models and comes back, kept in a file and played again without a network.

A ``Tap`` stands between routes and the network; ``recording`` and ``playback`` are what it may hold.

Refuses: files and secrets of its own. It is handed bytes, and is told what must not be kept.
"""
