"""Speaking to models: from a request and a provider to typed events.

Pure: ``protocols`` (wire formats), ``framing`` (bytes to frames), ``lowering`` (what a vendor cannot
take), ``providers`` (a table), ``catalog`` (what is known of models). Doing: ``transport`` (HTTP),
``auth`` (proving who asks), ``cassettes`` (recordings). ``http_route`` joins them for one attempt,
``client`` tries again, ``opening`` makes a client of a choice.

Refuses: to know about tools, sessions or prompts. A protocol does no I/O and reads no clock.
"""
