"""The person's real Chromium over CDP: connection, tabs, actions, observation, launch, profiles.

Refuses: to decide what to do in a page; it obeys and reports.
"""
