"""The live view of a session's browser, for faces: tabs as moving pictures, and a person's hands in them."""

from ouroboros.browser.live.live import Live
from ouroboros.browser.live.messages import TOLD, WISHES
from ouroboros.browser.live.viewer import TooSlow
from ouroboros.browser.live.window import Window

__all__ = ["TOLD", "WISHES", "Live", "TooSlow", "Window"]
