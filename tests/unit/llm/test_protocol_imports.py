"""Only the wire format that is spoken is imported, and failures only when something failed."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.real


@pytest.mark.proves("providers-speed")
def test_one_protocol_does_not_import_the_others() -> None:
    code = (
        "import sys; from ouroboros.llm.protocols import by_name;"
        "before = [name for name in sys.modules if '.protocols.openai' in name];"
        "by_name('anthropic-messages'); print(before);"
        "print([name for name in sys.modules if '.protocols.openai' in name]);"
        "print('ouroboros.llm.failures' in sys.modules);"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:3] == ["[]", "[]", "False"]
