"""Texts that carry files: bundles in (cats), changes out (dogs), and what both are made of."""
