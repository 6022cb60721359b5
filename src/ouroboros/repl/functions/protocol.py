"""Which calls of the DevTools protocol code may make by ``cdp``, and with what; pure.

Source: https://chromedevtools.github.io/devtools-protocol/tot/

What has a function of its own is not here: pressing and typing, files, cookies, storage, addresses, other
tabs. Nor is what lives on in documents that come later (scripts, bindings, headers, breakpoints), which
would act in pages that count as untouched, what leaves the page (downloads, permissions, the clipboard),
or what tells of the person's disk.
"""

from collections.abc import Mapping
from typing import Any

from ouroboros.safety.origins import address, origin_of

_WHOLE = frozenset({"Accessibility", "Animation", "CSS", "DOMSnapshot", "LayerTree", "Log"})
"""Domains that only look, or change how the page that is there is drawn."""

_CALLS: Mapping[str, frozenset[str]] = {
    domain: frozenset(calls.split())
    for domain, calls in {
        "Audits": "checkContrast checkFormsIssues disable enable getEncodedResponse",
        "DOM": (
            "collectClassNamesFromSubtree copyTo describeNode disable discardSearchResults enable focus"
            " getAttributes getBoxModel getContainerForNode getContentQuads getDocument getElementByRelation"
            " getFrameOwner getNodeForLocation getNodesForSubtreeByStyle getOuterHTML getQueryingDescendantsForContainer"
            " getRelayoutBoundary getSearchResults getTopLayerElements hideHighlight highlightNode highlightRect"
            " markUndoableState moveTo performSearch pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend"
            " querySelector querySelectorAll redo removeAttribute removeNode requestChildNodes requestNode resolveNode"
            " scrollIntoViewIfNeeded setAttributeValue setAttributesAsText setInspectedNode setNodeName setNodeValue"
            " setOuterHTML undo"
        ),
        "DOMDebugger": "getEventListeners",
        "Emulation": (
            "canEmulate clearDeviceMetricsOverride clearIdleOverride resetPageScaleFactor setCPUThrottlingRate"
            " setDefaultBackgroundColorOverride setDeviceMetricsOverride setEmulatedMedia"
            " setEmulatedVisionDeficiency setFocusEmulationEnabled setIdleOverride setPageScaleFactor"
            " setScrollbarsHidden setTouchEmulationEnabled"
        ),
        "HeapProfiler": "collectGarbage disable enable getHeapObjectId getObjectByHeapObjectId",
        "IndexedDB": "disable enable getMetadata requestData requestDatabase requestDatabaseNames",
        "Input": "synthesizePinchGesture synthesizeScrollGesture",
        "Memory": "forciblyPurgeJavaScriptMemory getDOMCounters",
        "Network": (
            "clearBrowserCache deleteCookies emulateNetworkConditions getRequestPostData getResponseBody"
            " setCacheDisabled"
        ),
        "Overlay": "disable enable getHighlightObjectForTest hideHighlight highlightNode highlightQuad highlightRect",
        "Page": (
            "bringToFront captureScreenshot captureSnapshot crash getAppManifest getFrameTree getLayoutMetrics"
            " getNavigationHistory getResourceContent getResourceTree stopLoading"
        ),
        "Performance": "disable enable getMetrics",
        "Profiler": (
            "disable enable getBestEffortCoverage setSamplingInterval start startPreciseCoverage stop"
            " stopPreciseCoverage takePreciseCoverage"
        ),
        "Runtime": (
            "awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate getHeapUsage"
            " getIsolateId getProperties globalLexicalScopeNames queryObjects releaseObject releaseObjectGroup"
            " runIfWaitingForDebugger runScript terminateExecution"
        ),
        "Storage": "getUsageAndQuota",
        "WebAudio": "disable enable getRealtimeData",
    }.items()
}

_PARAMETERS: Mapping[str, frozenset[str]] = {
    # A press counts as the person's, and the clipboard and command line are the browser's own.
    "Runtime.evaluate": frozenset({
        "userGesture",
        "includeCommandLineAPI",
        "allowUnsafeEvalBlockedByCSP",
    }),
    "Runtime.callFunctionOn": frozenset({"userGesture"}),
    "Runtime.runScript": frozenset({"includeCommandLineAPI"}),
    "Runtime.compileScript": frozenset({"persistScript"}),
}
"""What a call may not be given, unless it is false."""

_OF_A_PLACE = frozenset({
    "securityOrigin",
    "storageKey",
    "storageBucket",
    "origin",
    "url",
    "domain",
})
"""Parameters that name whose data it is; only the page's own may be meant."""

_BOUND = frozenset({"IndexedDB", "Network", "Storage"})


def refused(method: str, params: Mapping[str, Any], page: str) -> str:
    """Why a call may not be made in the tab that shows ``page``; empty where it may."""
    domain, _, call = method.partition(".")
    if call not in _CALLS.get(domain, frozenset()) and not (domain in _WHOLE and call):
        return f"{method} is not to be had by cdp; use the function for it"
    for name in sorted(_PARAMETERS.get(method, frozenset()) & params.keys()):
        if params[name] is not False:
            return f"{method} is not to be had with {name} by cdp"
    if domain in _BOUND:
        for name in sorted(_OF_A_PLACE & params.keys()):
            if not _is_own(name, params[name], page):
                return (
                    f"{method} is not to be had for another place by cdp; use the function for it"
                )
    return ""


def _is_own(name: str, given: object, page: str) -> bool:
    shown = address(page)
    if not isinstance(given, str) or shown is None or not shown.host:
        return False
    match name:
        case "domain":
            return given.lower().lstrip(".") == shown.host
        case "storageKey":
            return given in {origin_of(page), f"{origin_of(page)}/"}
        case _:
            return origin_of(given) == origin_of(page)
