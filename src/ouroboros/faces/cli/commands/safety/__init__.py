"""Commands for what may happen: trust, policies, explanations, the sandbox, scans."""
