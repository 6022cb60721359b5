"""Commands understood by grammar: what shell text runs, and whether it only reads.

``classify`` says safe, approve or dangerous; ``read_shell`` is what rules are compared with.
Two readers must agree on every word before anything is called safe. Nothing is run here, and a
session without a command never loads ``classify`` with its tables.
"""
