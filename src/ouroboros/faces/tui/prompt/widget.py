"""The prompt: what a person types, with lists, history and words that wait."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, override

import anyio
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ouroboros.core.events import Envelope
from ouroboros.faces.tui.prompt.drawing import Looks, Picture, Room, Words
from ouroboros.faces.tui.prompt.editor import Editor
from ouroboros.faces.tui.prompt.keeping import Keeping
from ouroboros.faces.tui.prompt.kinds import is_line
from ouroboros.faces.tui.prompt.label import label
from ouroboros.faces.tui.prompt.lists import Lists
from ouroboros.faces.tui.prompt.pasting import Pasting
from ouroboros.faces.tui.prompt.saying import Around, Escaped, Line, ModeNext, Said
from ouroboros.faces.tui.prompt.waiting import Waiting

if TYPE_CHECKING:
    from ouroboros.faces.tui.prompt.menu import Menu
    from ouroboros.faces.tui.prompt.recall import Recall

_STYLES = (
    "text sign cursor selected mark hint rule label waiting choice chosen meaning chosen_meaning"
)
_AGAIN_SECONDS = 1.5
_IDLE_HINT = "Ask, or / for commands, @ for files, ! for the shell, ? for help"
_BUSY_HINT = "Enter: heard at the next step, Tab: after the run, Esc: stop"
_TELLING = frozenset({"queue.put", "queue.dropped", "user.message", "turn.started"})


class Prompt(Widget, can_focus=True):
    """Takes keys and says what the person wants; it sends nothing by itself."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"prompt--{name}" for name in _STYLES.split()}
    DEFAULT_CSS = """
    Prompt { height: auto; width: 100%; }
    Prompt .prompt--sign { color: $accent; text-style: bold; }
    Prompt .prompt--cursor { text-style: reverse; }
    Prompt .prompt--selected { text-style: reverse; }
    Prompt .prompt--mark { color: $accent; text-style: italic; }
    Prompt .prompt--hint { color: $text-muted; }
    Prompt .prompt--rule { color: $text-disabled; }
    Prompt .prompt--label { color: $accent; }
    Prompt .prompt--waiting { color: $text-muted; text-style: italic; }
    Prompt .prompt--choice { color: $foreground; }
    Prompt .prompt--chosen { color: $accent; text-style: bold; }
    Prompt .prompt--meaning { color: $text-muted; }
    Prompt .prompt--chosen_meaning { color: $foreground; }
    """

    is_at_work: reactive[bool] = reactive(default=False)

    def __init__(self, host: Around, *, id: str | None = None) -> None:
        """Empty; ``host`` tells of folder, session and keys."""
        super().__init__(id=id)
        self._host = host
        self.editor = Editor(cell_len, vim=host.loaded.settings.tui.vim)
        self.waiting = Waiting(host)
        self._keeping = Keeping(host)
        self._lists = Lists(host, self.editor, self._keeping)
        self._pasting = Pasting(host)
        self._picture = Picture()
        self._pressed: tuple[str, float] = ("", 0.0)
        self._note = self._aside = ""

    @property
    def history(self) -> "Recall":
        """What was typed before."""
        return self._keeping.recall

    @property
    def text(self) -> str:
        """What would be sent."""
        return self.editor.whole

    @property
    def menu(self) -> "Menu | None":
        """The list that is open."""
        return self._lists.menu

    def set_text(self, text: str) -> None:
        """Other words, to be gone on with at their end."""
        self.editor.begin(text)
        self._changed()

    def take(self, envelope: Envelope) -> None:
        """Follows which words wait, and which tabs there are."""
        self._lists.tabs.take(envelope)
        if envelope.type in _TELLING:
            self._changed()

    def on_mount(self) -> None:
        """Reads what was typed before, beside everything else."""
        self.run_worker(self._keeping.load, group="load")

    def watch_is_at_work(self) -> None:
        """Other hints and keys while a run is on."""
        self._changed()

    def lend(self, keys: str) -> None:
        """Keys mean something else for now, which is said; with nothing to say they are the prompt's again."""
        if keys != self._aside:
            self._aside = keys
            self._changed()

    def on_focus(self) -> None:
        """Shows the cursor."""
        self._changed()

    def on_blur(self) -> None:
        """Hides it."""
        self._changed()

    # Keys.

    def on_key(self, event: events.Key) -> None:
        """Takes in a key; one that means nothing here goes on to the application."""
        is_typed = event.is_printable and not set(event.key.split("+")[:-1]) - {"shift"}
        if self._press(event.key, (event.character or "") if is_typed else ""):
            event.stop()
            event.prevent_default()
            self._changed()

    def _press(self, key: str, character: str) -> bool:
        self._note = ""
        if self.history.is_searching:
            return self._press_search(key, character)
        if self._lists.menu is not None:
            action = self._host.keys.action(key, "list")
            if action and self._on_list(action):
                return True
        vim = self.editor.vim
        if vim is not None and (done := vim.press(character or key)):
            if done in {"previous", "next"}:
                self._recall(done)
            self._lists.close()
            return True
        whens = ("running", "prompt") if self.is_at_work else ("prompt",)
        action = self._host.keys.action(key, *whens)
        if action not in {"stop", "clear"}:
            self._pressed = ("", 0.0)
        if action:
            return self._act(action)
        if not character:
            return False
        if character == "?" and not self.editor.text:
            self.post_message(Line("/help"))
        else:
            self.editor.buffer.insert(character)
            self._typed()
        return True

    def _act(self, action: str) -> bool:
        match action:
            case "send" | "queue":
                self._send("queue" if action == "queue" else "steer")
            case "complete":
                self._typed(asked=True)
            case "stop":
                self._escape()
            case "clear":
                return self._clear()
            case "mode_next":
                self.post_message(ModeNext())
            case "previous" | "next":
                if not self.editor.step(-1 if action == "previous" else 1):
                    self._recall(action)
            case "search_history":
                self.history.begin_search(self.editor.whole)
            case _:
                return self._act_outside(action)
        return True

    def _act_outside(self, action: str) -> bool:
        match action:
            case "leave" if not self.editor.text:
                self._host.leave()
            case "leave":
                self.editor.act("delete_right")
            case "edit_outside":
                self.run_worker(self._edit_outside, group="editor", exclusive=True)
            case "attach":
                self.run_worker(partial(self._attach_picture, None), group="paste")
            case "waiting":
                text = self.waiting.take_back()
                if text is not None:
                    self.editor.begin(text)
            case _:
                if not self.editor.act(action):
                    return False
                self._typed()
        return True

    def _on_list(self, action: str) -> bool:
        menu = self._lists.menu
        assert menu is not None
        match action:
            case "list_up" | "list_down":
                menu.step(-1 if action == "list_up" else 1)
            case "list_close":
                self._lists.dismiss()
                return self.editor.vim is None  # there it is also the way to Normal
            case _:
                choice, is_sent = menu.chosen, action == "list_send"
                is_there = self.editor.before[menu.wanted.start :] == choice.text.rstrip()
                if not (is_sent and is_there):
                    self.editor.put(menu.wanted.start, choice.text)
                self._lists.close()
                if is_sent and choice.ends:
                    self._send("steer")
                else:
                    self._typed()
        return True

    def _press_search(self, key: str, character: str) -> bool:
        action, query = self._host.keys.action(key, "prompt"), self.history.query or ""
        found: str | None = None
        if action == "search_history":
            found = self.history.search_on()
        elif action == "delete_left":
            found = self.history.search(query[:-1])
        elif character:
            found = self.history.search(query + character)
        elif action in {"stop", "clear"}:
            self.editor.begin(self.history.give_up())
            return True
        else:
            self.history.take()
            return action in {"send", "complete"}
        if found is not None:
            self.editor.begin(found)
        return True

    def _recall(self, action: str) -> None:
        text = self.editor.whole
        found = self.history.earlier(text) if action == "previous" else self.history.later()
        if found is not None:
            self.editor.begin(found)
            self._lists.close()

    def _typed(self, *, asked: bool = False) -> None:
        """The text is another: a list may be wanted."""
        self.history.reset()
        if self._lists.follow(running=self.is_at_work, asked=asked):
            self.run_worker(self._look, group="names", exclusive=True)

    async def _look(self) -> None:
        await self._lists.look()
        self._changed()

    # What is said.

    def _send(self, how: Literal["steer", "queue"]) -> None:
        editor = self.editor
        if how == "steer" and editor.before.endswith("\\"):
            editor.put(editor.buffer.cursor - 1, "\n")
            return
        text = editor.whole.rstrip()
        if self.waiting.changing:
            self.run_worker(partial(self.waiting.change, text), group="waiting")
        elif text.strip():
            self.run_worker(partial(self._keeping.remember, text), group="keep")
            is_command = is_line(text)
            self.post_message(Line(text) if is_command else Said(text, how))
        editor.begin()
        self.history.reset()
        self._lists.close()

    def _escape(self) -> None:
        if self.waiting.changing:
            self.waiting.leave()
            self.editor.begin()
        elif self.editor.buffer.selected:
            self.editor.buffer.go(self.editor.buffer.cursor)
        elif not self._is_again("escape") or self.is_at_work:
            if not self.is_at_work:
                self._remark(f"Esc again {'clears' if self.text else 'goes back'}")
            self.post_message(Escaped(twice=False))
        elif self.editor.text:
            self.editor.replace("")
        else:
            self.post_message(Escaped(twice=True))

    def _clear(self) -> bool:
        selected = self.editor.folds.whole(self.editor.buffer.selected)
        if selected:
            self._host.copy_to_clipboard(selected)
        elif self.screen.selections:
            return False  # words of the conversation are copied
        elif self.editor.text or self.waiting.changing:
            self.waiting.leave()
            self.editor.replace("")
            self._lists.close()
        elif self.is_at_work:
            self.post_message(Escaped(twice=False))
        elif self._is_again("clear"):
            self._host.leave()
        else:
            self._remark("Ctrl-C again leaves")
        return True

    def _remark(self, words: str) -> None:
        self._note = words
        self.set_timer(_AGAIN_SECONDS, self._changed)

    def _is_again(self, key: str) -> bool:
        now = anyio.current_time()
        before, at = self._pressed
        is_again = before == key and now - at < _AGAIN_SECONDS
        self._pressed = ("", now) if is_again else (key, now)
        return is_again

    # From outside.

    def on_paste(self, event: events.Paste) -> None:
        """Takes in what is pasted or dropped; a picture becomes its name."""
        event.stop()
        if self._pasting.may_be_picture(event.text):
            self.run_worker(partial(self._attach_picture, event.text), group="paste")
            return
        self._put(event.text)

    def _put(self, text: str) -> None:
        self.editor.paste(text)
        self._typed()
        self._changed()

    async def _attach_picture(self, text: str | None) -> None:
        found = await self._pasting.named(text)
        if found:
            self._put(found)

    async def _edit_outside(self) -> None:
        from ouroboros.faces.tui.prompt.outside import edited

        text = await edited(self._host, self.editor.whole)
        if text is not None:
            self.editor.replace(text)
        self._changed()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Takes what is pressed in a list, or puts the cursor there."""
        menu, at = self._lists.menu, self._picture.place(self.editor, event.x, event.y)
        if at is not None:
            self.editor.buffer.go(at)
        elif menu is not None and (choice := self._picture.choice(menu, event.y)) is not None:
            menu.at = choice
            self._on_list("list_send")
        self._changed()

    # How it looks.

    @override
    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._draw(width)
        return len(self._picture.rows)

    @override
    def render_line(self, y: int) -> Strip:
        base, rows = self.rich_style, self._picture.rows
        if y >= len(rows):
            return Strip.blank(self.size.width, base)
        segments = [Segment(span.text, base + self._style(span.style)) for span in rows[y]]
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"prompt--{name or 'text'}", partial=True)

    def _changed(self) -> None:
        if self.is_mounted:
            self.refresh(layout=self._draw(self.size.width or self.screen.size.width))
            self.call_after_refresh(self._place_cursor)

    def _draw(self, width: int) -> bool:
        hint = _BUSY_HINT if self.is_at_work else _IDLE_HINT
        sign = "?" if self.history.is_searching else ">"
        has_keys = self.has_focus and not self._aside
        looks = Looks(sign=sign, label=self._label(), hint=hint, cursor=has_keys)
        words, room = Words(*self.waiting.words()), Room(width, self.screen.size.height)
        return self._picture.draw(self.editor, self._lists.menu, words, looks, room)

    def _label(self) -> str:
        is_fresh = anyio.current_time() - self._pressed[1] < _AGAIN_SECONDS
        note, usage = self._note if is_fresh else "", self._lists.hint
        said = label(self.history, self.waiting, self.editor, note=note, usage=usage)
        return self._aside or said

    def _place_cursor(self) -> None:
        """Where the terminal's own cursor is, input methods show what is being composed."""
        if self.has_focus:
            at = Offset(*self._picture.cursor(self.editor))
            self._host.cursor_position = self.content_region.offset + at
