"""A person's repository with all that may be in one, and a way to apply a bundle to it."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from anyio import to_thread
from msgspec import structs

from ouroboros.app.config.layers import load
from ouroboros.app.paws.dogs.door import Request, applied
from ouroboros.app.paws.dogs.outcome import Outcome
from ouroboros.app.paws.dogs.reading import Files, Prepared

type Picture = dict[str, tuple[int, bytes]]

BUNDLE = """\
---
version: "1.0"
---
Here is what I would change.

--- File: src/app.py ---
```diff
 import os
-print("dirty")
+print("better")
```

--- New File: docs/new.md ---
```markdown
# New
```
"""


def git(folder: Path, *words: str) -> str:
    """Runs git there; what it says."""
    names = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    done = subprocess.run(["git", *names, *words], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode()


def project_in(folder: Path) -> Path:
    """Clean, dirty, staged, untracked and ignored files, a stash entry and a link."""
    root = folder / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("import os\nprint(1)\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o750)
    (root / ".gitignore").write_text("build/\n*.log\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    (root / "run.sh").write_text("#!/bin/sh\nstashed\n")
    git(root, "stash")
    (root / "run.sh").chmod(0o750)
    (root / "src" / "app.py").write_text('import os\nprint("dirty")\n')
    (root / "staged.txt").write_text("staged\n")
    git(root, "add", "staged.txt")
    (root / "untracked.txt").write_bytes(b"mine\r\n")
    (root / "build" / "empty").mkdir(parents=True)
    (root / "build" / "out.bin").write_bytes(bytes(range(256)))
    (root / "a.log").write_text("log\n")
    (root / "link").symlink_to("src/app.py")
    return root


def picture(folder: Path) -> Picture:
    """Every name below a folder, also of ``.git``: its mode, and its bytes."""
    found: Picture = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content = os.fsencode(path.readlink()) if path.is_symlink() else b""
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
        found[str(path.relative_to(folder))] = (mode, content)
    return found


class Dogs:
    """Applies bundles to a folder."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.environment = {**os.environ, "OUROBOROS_HOME": str(home)}
        self.loaded = load(root, self.environment, {})
        self.told: list[str] = []

    async def __call__(
        self,
        bundle: str | bytes = BUNDLE,
        *,
        choose: Callable[[Prepared], Files | Outcome] | None = None,
        agree: Callable[[str], bool] = lambda _: False,
        bundle_name: str = "answer.md",
        **wishes: object,
    ) -> Outcome:
        """Applies all of a bundle unless something is chosen of it."""

        async def chosen(found: Prepared) -> Files | Outcome:
            return found.files if choose is None else await to_thread.run_sync(choose, found)

        request = Request(
            bundle=bundle_name,
            data=bundle if isinstance(bundle, bytes) else bundle.encode(),
            cwd=self.root,
            root=self.root,
            loaded=self.loaded,
            environment=self.environment,
        )
        request = structs.replace(request, **wishes)

        async def agreed(command: str) -> bool:
            return agree(command)

        return await applied(request, choose=chosen, agree=agreed, tell=self.told.append)
