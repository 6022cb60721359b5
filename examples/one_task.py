"""Do one task in this folder and print the answer; nothing here is asynchronous."""

from pathlib import Path

from ouroboros import Ouroboros

outcome = Ouroboros.configured(Path()).run_blocking("What is this folder about?", cwd=Path())
print(outcome.final)
