"""Three small shops on loopback, with prices to compare, a form to fill and an invoice to fetch.

Refuses: to be reached from another machine, and to know what the agent will do.
"""
