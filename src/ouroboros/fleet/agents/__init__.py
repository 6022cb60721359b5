"""Agents by name: what a person wrote of one, and the folder in which it lives.

Refuses: to install anything, and to run one; that is the supervisor's.
"""
