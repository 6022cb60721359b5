"""A program that writes the text of each page of a PDF into a file, as a JSON list of texts.

A PDF is a small language that anybody may have written: it is read here with bounded memory, and
whoever started this ends it when it takes too long; where that one was killed the system does.
"""

import json
import resource
import sys
from pathlib import Path

_MEMORY_BYTES = 2 * 1_073_741_824
_CPU_SECONDS = 150


def main(path: str, written: str, limit: int) -> int:
    """0, or 1 with the reason as the last line of standard error."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    pages: list[str] = []
    size = 0
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            return _refuse("it is locked by a password")
        for page in reader.pages:
            pages.append(page.extract_text().encode("utf-8", "replace").decode())
            size += len(pages[-1])
            if size > limit:
                return _refuse(f"its text has more than {limit:,} characters")
    except MemoryError:
        return _refuse("it takes too much memory")
    except (
        PyPdfError,
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
    ) as error:
        return _refuse(f"it is broken: {type(error).__name__}: {error}".replace("\n", " "))
    except (RecursionError, NotImplementedError, ArithmeticError, AssertionError) as error:
        return _refuse(f"it is broken: {type(error).__name__}")
    Path(written).write_text(json.dumps(pages), encoding="utf-8")
    return 0


def _refuse(reason: str) -> int:
    sys.stderr.write(f"{reason}\n")
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
