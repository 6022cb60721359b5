"""Reading a page and working in it, by the page's own elements and real input.

A library of ours lives in an isolated world of each document: page scripts can neither see nor replace it.
What it finds is never decoded here more than needed; what it says of a failure becomes words.
"""
