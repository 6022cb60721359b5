"""V8 by the C interface of mini-racer's library, without its Python layer.

That layer needs an event loop and threads of its own; a worker needs neither, starts in half the
time without them, and can stop V8 wherever it is: in a microtask too. Standard library only.
"""

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

FLAGS = "--single-threaded --max-heap-size=400 --max-semi-space-size=8"
"""No helper threads; the hard limit comes long before this one, and small steps let it come in time."""

_INTEGER, _TEXT, _UNDEFINED = 3, 5, 11
_FIRST_FAILURE = 200
_FAILURES = {200: "threw", 201: "syntax", 202: "memory", 203: "time", 204: "stopped"}


class _Payload(ctypes.Union):
    _fields_ = (
        ("pointer", ctypes.c_void_p),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
    )


class _Value(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("payload", _Payload), ("length", ctypes.c_size_t), ("type", ctypes.c_uint8))


class Handle(Protocol):
    """Points to a value; it is the engine's to free."""

    contents: _Value


_Handle = ctypes.POINTER(_Value)
_Callback = ctypes.CFUNCTYPE(None, ctypes.c_uint64, _Handle)
_ID, _SIZE, _FLAG = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint8

_SIGNATURES: dict[str, tuple[type | None, tuple[type, ...]]] = {
    "mr_init_v8": (None, (ctypes.c_char_p, ctypes.c_char_p)),
    "mr_init_context": (_ID, (_Callback,)),
    "mr_eval": (_ID, (_ID, _Handle, _ID)),
    "mr_call_function": (_ID, (_ID, _Handle, _Handle, _Handle, _ID)),
    "mr_free_value": (None, (_ID, _Handle)),
    "mr_alloc_string_val": (_Handle, (_ID, ctypes.c_char_p, _ID, _FLAG)),
    "mr_alloc_int_val": (_Handle, (_ID, ctypes.c_int64, _FLAG)),
    "mr_set_object_item": (_Handle, (_ID, _Handle, _Handle, _Handle)),
    "mr_set_hard_memory_limit": (None, (_ID, _SIZE)),
    "mr_hard_memory_limit_reached": (ctypes.c_bool, (_ID,)),
    "mr_low_memory_notification": (None, (_ID,)),
}


class Result(NamedTuple):
    """How a task in V8 ended.

    A ``value``; or ``threw``, ``syntax``, ``memory``, ``time``, ``stopped`` or ``other``, with V8's words.
    """

    kind: str
    text: bytes = b""


class Engine:
    """One isolate, whose code can call nothing of ours: all it has is what its tasks return.

    ``evaluate`` starts a task at any time; everything else but ``terminate`` waits for V8 to be
    idle. ``ended(task, result)`` is called on V8's own thread and must return at once.
    """

    def __init__(self, folder: Path, *, ended: Callable[[int, Result], None]) -> None:
        """Loads the library from ``folder``; about 120 ms.

        Raises:
            OSError: There is no such library, or it is not for this machine.
        """
        self._ended = ended
        self._v8 = ctypes.CDLL(str(folder / "libmini_racer.so"))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self._v8, name)
            function.restype, function.argtypes = result, arguments
        self._v8.mr_init_v8(FLAGS.encode(), str(folder / "icudtl.dat").encode())
        self._isolate: int | None = None
        self._handles: dict[int, Handle] = {}
        self._callback = _Callback(self._heard)
        self._context = self._v8.mr_init_context(self._callback)
        self._undefined = self._v8.mr_alloc_int_val(self._context, 0, _UNDEFINED)
        self._stop = self._c("_ZN2v87Isolate18TerminateExecutionEv", None, ctypes.c_void_p)
        self._go_on = self._c("_ZN2v87Isolate24CancelTerminateExecutionEv", None, ctypes.c_void_p)
        self._current = self._c("_ZN2v87Isolate13TryGetCurrentEv", ctypes.c_void_p)

    def _c(self, name: str, result: type | None, *arguments: type) -> Callable[..., int] | None:
        """A function of V8 itself; None where the library does not show it."""
        function = getattr(self._v8, name, None)
        if function is not None:
            function.restype, function.argtypes = result, arguments
        return function

    def terminate(self) -> None:
        """Ends what V8 runs now; call it only while something runs."""
        if self._stop is not None and self._isolate:
            self._stop(self._isolate)

    def settle(self) -> None:
        """Forgets a ``terminate`` that came when nothing ran any more."""
        if self._go_on is not None and self._isolate:
            self._go_on(self._isolate)

    def evaluate(self, task: int, code: bytes) -> None:
        """Starts a script; ``ended(task, result)`` follows, ``handle(task)`` is its value."""
        text = self._text(code)
        self._v8.mr_eval(self._context, text, task)
        self._free(text)

    def call(self, task: int, function: Handle, arguments: Handle, *values: bytes | Handle) -> None:
        """Calls a function with ``values``, put into ``arguments``, an array made for it before."""
        made: list[Handle] = []
        for index, value in enumerate(values):
            key = self._v8.mr_alloc_int_val(self._context, index, _INTEGER)
            made.append(key)
            handle = value
            if isinstance(value, bytes):
                handle = self._text(value)
                made.append(handle)
            self._free(self._v8.mr_set_object_item(self._context, arguments, key, handle))
        self._v8.mr_call_function(self._context, function, self._undefined, arguments, task)
        for handle in made:
            self._free(handle)

    def handle(self, task: int) -> Handle:
        """The value a task ended with; the caller keeps or ``release``s it."""
        return self._handles.pop(task)

    def release(self, handle: Handle) -> None:
        """Lets go of a value."""
        self._free(handle)

    def limit(self, size: int) -> None:
        """Ends code whose heap grows beyond ``size`` bytes; forgets that it happened before."""
        self._v8.mr_set_hard_memory_limit(self._context, size)

    @property
    def was_full(self) -> bool:
        """Whether the limit was met since it was set."""
        return bool(self._v8.mr_hard_memory_limit_reached(self._context))

    def collect(self) -> None:
        """Collects garbage thoroughly."""
        self._v8.mr_low_memory_notification(self._context)

    def _text(self, data: bytes) -> Handle:
        return self._v8.mr_alloc_string_val(self._context, data, len(data), _TEXT)

    def _free(self, handle: Handle) -> None:
        self._v8.mr_free_value(self._context, handle)

    def _heard(self, task: int, handle: Handle) -> None:
        """On V8's thread: a task ended."""
        if not self._isolate and self._current is not None:
            self._isolate = self._current()
        value = handle.contents
        kind = int(value.type)
        if kind >= _FIRST_FAILURE or kind == _TEXT:
            text = ctypes.string_at(value.payload.pointer, value.length)
            self._free(handle)
            result = Result("value" if kind == _TEXT else _FAILURES.get(kind, "other"), text)
        else:
            result = Result("value")
            self._handles[task] = handle
        self._ended(task, result)
