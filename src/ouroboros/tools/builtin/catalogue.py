"""The default set of tools."""

from ouroboros.core.limits import (
    SHELL_TIMEOUT_CAP_SECONDS,
    SHELL_TIMEOUT_SECONDS,
    WRITE_BYTES,
)
from ouroboros.tools.builtin.discovery import CallToolTool, ToolSearchTool
from ouroboros.tools.builtin.files import EditTool, MultiEditTool, ReadTool, WriteTool
from ouroboros.tools.builtin.patch import ApplyPatchTool
from ouroboros.tools.builtin.search import FindTool, GrepTool, ListTool
from ouroboros.tools.builtin.session import DoneTool, UpdatePlanTool
from ouroboros.tools.builtin.shell import ShellTool
from ouroboros.tools.registry import AnyTool


def builtin_tools(
    *,
    shell: str = "",
    timeout_seconds: float = SHELL_TIMEOUT_SECONDS,
    timeout_cap_seconds: float = SHELL_TIMEOUT_CAP_SECONDS,
    write_bytes: int = WRITE_BYTES,
) -> tuple[AnyTool, ...]:
    """New tools with these settings, in the order a model reads them.

    Args:
        shell: Program that takes ``-c``; bash or sh when empty.
        timeout_seconds: Life of a command that asks for none.
        timeout_cap_seconds: The longest life a model may ask for.
        write_bytes: Largest file that ``write`` makes.
    """
    return (
        ReadTool(),
        WriteTool(limit=write_bytes),
        EditTool(),
        MultiEditTool(),
        ApplyPatchTool(),
        ListTool(),
        FindTool(),
        GrepTool(),
        ShellTool(
            shell=shell,
            timeout_seconds=timeout_seconds,
            timeout_cap_seconds=timeout_cap_seconds,
        ),
        UpdatePlanTool(),
        DoneTool(),
        ToolSearchTool(),
        CallToolTool(),
    )
