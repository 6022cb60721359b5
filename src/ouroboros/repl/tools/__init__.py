"""The browser and scripts as tools, for a mind that calls tools rather than writing every step.

Refuses: to show a page. What code reads stays in variables; the model is told what kind of thing it is.
"""
