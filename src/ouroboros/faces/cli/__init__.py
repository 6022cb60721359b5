"""The command line: sub-commands, plain chat, text and JSON output.

Refuses: to hold engine logic; it parses words, sends commands and shows events.
"""
