"""Vim's keys over a buffer. Refuses: screens, and what is not Vim's."""
