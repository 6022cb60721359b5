"""The safety pipeline: what comes in is cleaned and flagged, calls are validated, what goes out is screened.

Advice and hygiene: none of it decides what untrusted text may lead to.
"""
