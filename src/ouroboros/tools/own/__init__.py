"""Tools that a model or a person wrote: a folder each, of a manifest and a piece of Python.

They never run in this process: each call starts an interpreter in the cage. One that lies in a project
is used only after the person has seen and approved exactly this code.
"""
