"""Fakes and conformance suites, shipped: scripted model servers, sequential ids, a manual clock.

Refuses: to be imported by the product; only tests and benchmarks use it.
"""
