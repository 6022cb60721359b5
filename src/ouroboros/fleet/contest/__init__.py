"""The same task several times at once, and which of the answers is best.

Refuses: to let one that fails end the others, and to call one good that the command did not.
"""
