"""Which of these tools a session has: the browser's behind one switch, scripts behind another."""

from ouroboros.repl.tools.control import (
    BrowserCancelTool,
    BrowserConfigureTool,
    BrowserRecoverTool,
)
from ouroboros.repl.tools.execute import (
    BrowserCommandTool,
    BrowserExecuteTool,
    code_tool,
    js_tool,
)
from ouroboros.repl.tools.look import BrowserObserveTool, BrowserStatusTool, ViewImageTool
from ouroboros.repl.tools.seat import Seat
from ouroboros.tools.builtin.image import Blind, sees
from ouroboros.tools.registry import AnyTool


def browser_tools(seat: Seat, blind: Blind = sees) -> tuple[AnyTool, ...]:
    """The browser's tools, in the order a model reads them; ``blind`` says why it sees no pictures."""
    return (
        BrowserExecuteTool(seat),
        BrowserObserveTool(seat),
        BrowserStatusTool(seat),
        BrowserConfigureTool(seat),
        BrowserCancelTool(seat),
        BrowserRecoverTool(seat),
        BrowserCommandTool(seat),
        ViewImageTool(seat, blind),
    )


def script_tools(seat: Seat) -> tuple[AnyTool, ...]:
    """Scripts over files, and over the other tools."""
    return (js_tool(seat), code_tool(seat))
