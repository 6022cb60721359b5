"""The mind that writes code against data it does not see: block parser, context, children, router.

Refuses: to end a run by anything but setFinal, the last iteration, or three replies without code;
to put page text into a request of its own or of a child run. Only plain reads carry data, marked.
"""
