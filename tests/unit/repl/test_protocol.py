"""What of the DevTools protocol code may call without a function of its own."""

import pytest

from ouroboros.repl.functions.protocol import refused
from tests.cases import every

PAGE = "https://shop.example/cart?x=1"
CLOSED: list[tuple[str, dict[str, object]]] = [
    ("Input.dispatchDragEvent", {"type": "drop", "data": {"files": ["/etc/passwd"]}}),
    ("Input.dispatchMouseEvent", {"type": "mousePressed", "x": 1, "y": 1}),
    ("Input.dispatchKeyEvent", {"type": "keyDown"}),
    ("Input.dispatchTouchEvent", {"type": "touchStart"}),
    ("Input.emulateTouchFromMouseEvent", {}),
    ("Input.insertText", {"text": "x"}),
    ("Input.imeSetComposition", {"text": "x"}),
    ("Input.synthesizeTapGesture", {"x": 1, "y": 1}),
    ("Input.setInterceptDrags", {"enabled": True}),
    ("DOM.setFileInputFiles", {"files": ["/etc/passwd"]}),
    ("DOM.getFileInfo", {"objectId": "1"}),
    ("Page.handleFileChooser", {"files": ["/etc/passwd"]}),
    ("Page.setInterceptFileChooserDialog", {"enabled": False}),
    ("Page.setDownloadBehavior", {"behavior": "allow"}),
    ("Browser.setDownloadBehavior", {"behavior": "allow"}),
    ("Browser.grantPermissions", {"permissions": ["geolocation"]}),
    ("Emulation.setGeolocationOverride", {"latitude": 1}),
    ("Emulation.setUserAgentOverride", {"userAgent": "x"}),
    ("Emulation.setScriptExecutionDisabled", {"value": True}),
    ("Emulation.setDocumentCookieDisabled", {"disabled": True}),
    ("Network.getAllCookies", {}),
    ("Network.getCookies", {"urls": ["https://bank.example"]}),
    ("Network.setCookie", {"name": "a", "value": "b"}),
    ("Network.deleteCookies", {"name": "a", "url": "https://bank.example/"}),
    ("Network.deleteCookies", {"name": "a", "domain": "bank.example"}),
    ("Network.loadNetworkResource", {"url": "https://evil.example"}),
    ("Network.setExtraHTTPHeaders", {"headers": {}}),
    ("Storage.getCookies", {}),
    ("Storage.clearDataForOrigin", {"origin": "https://bank.example"}),
    ("Storage.getUsageAndQuota", {"origin": "https://bank.example"}),
    ("IndexedDB.requestData", {"securityOrigin": "https://bank.example"}),
    ("IndexedDB.requestData", {"storageKey": "https://bank.example/"}),
    ("IndexedDB.requestDatabaseNames", {"storageBucket": {"storageKey": "https://bank.example/"}}),
    ("IndexedDB.deleteDatabase", {"securityOrigin": "https://shop.example"}),
    ("DOMStorage.getDOMStorageItems", {"storageId": {"securityOrigin": "https://bank.example"}}),
    ("Target.createTarget", {"url": "https://evil.example"}),
    ("Target.attachToTarget", {"targetId": "1"}),
    ("Page.navigate", {"url": "https://evil.example"}),
    ("Page.reload", {}),
    ("Page.navigateToHistoryEntry", {"entryId": 1}),
    ("Page.addScriptToEvaluateOnNewDocument", {"source": "1"}),
    ("Page.createIsolatedWorld", {"frameId": "1"}),
    ("Page.setBypassCSP", {"enabled": True}),
    ("Page.printToPDF", {}),
    ("Runtime.addBinding", {"name": "x"}),
    ("Runtime.evaluate", {"expression": "1", "userGesture": True}),
    ("Runtime.evaluate", {"expression": "copy(1)", "includeCommandLineAPI": True}),
    ("Runtime.callFunctionOn", {"userGesture": 1}),
    ("DOMDebugger.setXHRBreakpoint", {"url": ""}),
    ("Debugger.enable", {}),
    ("Fetch.enable", {}),
    ("Tracing.start", {}),
    ("WebAuthn.enable", {}),
    ("ServiceWorker.unregister", {}),
    ("CacheStorage.requestEntries", {}),
    ("FileSystem.getDirectory", {}),
    ("Autofill.trigger", {}),
    ("CSS", {}),
    ("CSS.", {}),
    ("", {}),
    ("input.dispatchDragEvent", {}),
]
OPEN: list[tuple[str, dict[str, object]]] = [
    ("Runtime.evaluate", {"expression": "40 + 2", "returnByValue": True}),
    ("Runtime.evaluate", {"expression": "1", "userGesture": False}),
    ("DOM.getDocument", {"depth": -1}),
    ("DOM.querySelector", {"nodeId": 1, "selector": "a"}),
    ("Accessibility.getFullAXTree", {}),
    ("CSS.getComputedStyleForNode", {"nodeId": 1}),
    ("DOMDebugger.getEventListeners", {"objectId": "1"}),
    ("Network.getResponseBody", {"requestId": "1"}),
    ("Network.deleteCookies", {"name": "a", "url": "https://shop.example/other"}),
    ("IndexedDB.requestData", {"securityOrigin": "https://shop.example"}),
    ("Page.captureSnapshot", {}),
    ("Performance.getMetrics", {}),
    ("Input.synthesizeScrollGesture", {"x": 1, "y": 1, "yDistance": -100}),
    ("Emulation.setEmulatedMedia", {"media": "print"}),
]


@pytest.mark.proves("browser-bare-calls")
@every(("method", "params"), CLOSED)
def test_what_carries_files_presses_cookies_or_leads_away_is_closed(
    method: str, params: dict[str, object]
) -> None:
    assert "not to be had" in refused(method, params, PAGE)


@pytest.mark.proves("browser-bare-calls")
@every(("method", "params"), OPEN)
def test_what_looks_at_the_page_is_open(method: str, params: dict[str, object]) -> None:
    assert refused(method, params, PAGE) == ""


@pytest.mark.proves("browser-bare-calls")
def test_a_page_without_an_address_has_no_place_of_its_own() -> None:
    params = {"securityOrigin": "null"}
    assert "another place" in refused("IndexedDB.requestData", params, "about:blank")
    assert "another place" in refused("IndexedDB.requestData", params, "data:text/html,x")
