"""The default set of tools."""

from collections.abc import Callable

from ouroboros.core.limits import (
    SHELL_TIMEOUT_CAP_SECONDS,
    SHELL_TIMEOUT_SECONDS,
    WRITE_BYTES,
)
from ouroboros.tools.builtin.discovery import CallToolTool, ToolSearchTool
from ouroboros.tools.builtin.exec_command import ExecCommandTool, WriteStdinTool
from ouroboros.tools.builtin.files import EditTool, MultiEditTool, ReadTool, WriteTool
from ouroboros.tools.builtin.patch import ApplyPatchTool
from ouroboros.tools.builtin.permissions import Beyond
from ouroboros.tools.builtin.search import FindTool, GrepTool, ListTool
from ouroboros.tools.builtin.session import DoneTool, UpdatePlanTool
from ouroboros.tools.builtin.shell import ShellTool
from ouroboros.tools.builtin.texts import Editor, Texts
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.exec.starting import Starter
from ouroboros.tools.registry import AnyTool
from ouroboros.workspace.seen import Seen


def builtin_tools(
    *,
    shell: str = "",
    timeout_seconds: float = SHELL_TIMEOUT_SECONDS,
    timeout_cap_seconds: float = SHELL_TIMEOUT_CAP_SECONDS,
    write_bytes: int = WRITE_BYTES,
    processes: Processes | None = None,
    login: bool = True,
    beyond: Callable[[], Beyond] | None = None,
    editor: Editor | None = None,
) -> tuple[AnyTool, ...]:
    """New tools with these settings, in the order a model reads them.

    Args:
        shell: Program that takes ``-c``; bash or sh when empty.
        timeout_seconds: Life of a command that asks for none.
        timeout_cap_seconds: The longest life a model may ask for.
        write_bytes: Largest file that ``write`` and ``apply_patch`` make.
        processes: Holds commands that outlive their call; without it each ends with its call.
        login: Such commands have the person's aliases and functions.
        beyond: What single ones may be given besides; without it they may not ask for it.
        editor: Has files open for a person; without it files are read and written on the disk.
    """
    starter = Starter(shell, processes.snapshots if processes is not None else None)
    seen, texts = Seen(), Texts(editor)
    return (
        ReadTool(seen, texts=texts),
        WriteTool(limit=write_bytes, seen=seen, texts=texts),
        EditTool(seen, texts=texts),
        MultiEditTool(seen, texts=texts),
        ApplyPatchTool(seen, limit=write_bytes, texts=texts),
        ListTool(),
        FindTool(),
        GrepTool(),
        *_living(starter, processes, login=login, beyond=beyond),
        ShellTool(
            starter=starter,
            timeout_seconds=timeout_seconds,
            timeout_cap_seconds=timeout_cap_seconds,
            exposure="direct" if processes is None else "hidden",
        ),
        UpdatePlanTool(),
        DoneTool(),
        ToolSearchTool(),
        CallToolTool(),
    )


def _living(
    starter: Starter,
    processes: Processes | None,
    *,
    login: bool,
    beyond: Callable[[], Beyond] | None,
) -> tuple[AnyTool, ...]:
    if processes is None:
        return ()
    return (
        ExecCommandTool(starter, processes, login=login, beyond=beyond),
        WriteStdinTool(processes),
    )
