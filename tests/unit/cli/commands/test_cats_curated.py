"""`ouro cats --ai-curate`: the stages on the console, and a model that is not believed."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from ouroboros.llm.turns import ScriptedCall, Turn
from ouroboros.testing.server import ScriptedServer, serving
from ouroboros.workspace.artifacts.cats import read
from tests.unit.cli.commands.calling import Ended, Ouro

pytestmark = pytest.mark.real

TASK = "Fix the total of the cart"


def ranking(**relevance: float) -> str:
    return json.dumps({
        "ranked_files": [
            {"file_path": path.replace("__", "/").replace("_py", ".py"), "relevance": value,
             "justification": f"because of {path}"}
            for path, value in relevance.items()
        ]
    })  # fmt: skip


GOOD = ranking(shop__cart_py=0.95, shop__tax_py=0.7, shop__mail_py=0.3)


@pytest.fixture
def tree(project: Path) -> Path:
    (project / "shop").mkdir()
    (project / "shop/cart.py").write_text("class Cart:\n    def total(self): ...\n")
    (project / "shop/tax.py").write_text("def tax(cart): ...\n")
    (project / "shop/mail.py").write_text("def send(): ...\n")
    (project / "notes.md").write_text("# Notes\n")
    (project / "debug.log").write_text("total\n")
    (project / ".env").write_text("TOTAL=1\n")
    (project / ".gitignore").write_text("*.log\n.gitignore\n")
    return project


def curated(ouro: Ouro, tree: Path, *turns: str | Mapping[str, object], words: str = "") -> Ended:
    """Runs it with a scripted model; the script lies where no bundle looks."""
    path = tree.parent / "turns.jsonl"
    lines = [{"text": turn} if isinstance(turn, str) else turn for turn in turns]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return ouro("cats", "--ai-curate", TASK, "--model", f"script:{path}", *words.split())


@pytest.mark.proves("L19")
def test_the_stages_are_told_and_the_bundle_says_how_it_came_to_be(ouro: Ouro, tree: Path) -> None:
    done = curated(ouro, tree, GOOD)
    assert done.code == 0
    assert done.out == ""
    lines = [line for line in done.err.splitlines() if "not trusted" not in line]
    assert lines[:7] == [
        "[PAWS] Analyzing project…",
        "[PAWS] 5 files, 4 candidates",
        "[AI] Ranking candidate files…",
        "[AI] Selected 2 of 4 files",
        "  0.95  shop/cart.py  because of shop__cart_py",
        "  0.70  shop/tax.py  because of shop__tax_py",
        lines[6],
    ]
    assert lines[6].startswith("[AI] script:")
    assert lines[7] == "Creating cats.md …"
    assert lines[-1] == "Done."
    bundle = read((tree / "cats.md").read_bytes())
    assert [file.path for file in bundle.files] == ["shop/cart.py", "shop/tax.py"]
    assert bundle.head.task_description == TASK
    assert bundle.head.metadata.curation_method == "ai_curated"
    assert bundle.head.metadata.ai_curation_confidence == 0.82


@pytest.mark.proves("L13")
def test_a_dry_run_lists_candidates_and_asks_no_model(ouro: Ouro, tree: Path) -> None:
    done = curated(ouro, tree, words="--dry-run --exclude-pattern *.md --include-pattern shop/")
    assert done.code == 0
    listed = [line.split() for line in done.out.splitlines()]
    assert [each[1] for each in listed] == ["shop/cart.py", "shop/tax.py", "shop/mail.py"]
    assert listed[0][2:] == ["total,", "cart"]
    assert not (tree / "cats.md").exists()


@pytest.mark.proves("L15")
@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("--threshold 0.71", ["shop/cart.py"]),
        ("--threshold 0.2", ["shop/cart.py", "shop/mail.py", "shop/tax.py"]),
        ("--max-tokens 80 --threshold 0.2", ["shop/cart.py"]),
        ("-x tax.py", ["shop/cart.py"]),
        ("--exclude-pattern shop/tax.py", ["shop/cart.py"]),
        ("--include-pattern shop/c*", ["shop/cart.py"]),
        ("--max-candidates 1", ["shop/cart.py"]),
    ],
)
def test_threshold_budget_and_patterns_narrow_the_choice(
    ouro: Ouro, tree: Path, words: str, taken: list[str]
) -> None:
    done = curated(ouro, tree, GOOD, words=words)
    assert done.code == 0, done.err
    assert [file.path for file in read((tree / "cats.md").read_bytes()).files] == taken


@pytest.mark.proves("L18")
def test_what_a_model_makes_up_is_dropped_with_a_warning(ouro: Ouro, tree: Path) -> None:
    said = json.dumps({
        "files": ["shop/cart.py", "../secret", "debug.log", "gone.py", ".env", "shop", "\x1b[31m"]
    })
    done = curated(ouro, tree, said)
    assert done.code == 0
    warned = [line for line in done.err.splitlines() if line.startswith("warning: the")]
    assert len(warned) == 6
    assert "'../secret', which is not taken: it cannot be taken: it has the part '..'" in warned[0]
    assert "'debug.log', which is not taken: there is no such file, or it is ignored" in warned[1]
    assert "'.env', which is not taken: its name is that of a file with secrets" in warned[3]
    assert "\x1b" not in done.err
    assert [file.path for file in read((tree / "cats.md").read_bytes()).files] == ["shop/cart.py"]


@pytest.mark.proves("L13")
def test_a_list_is_no_longer_than_a_model_can_see(ouro: Ouro, tree: Path, home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("[context]\nwindow = 1000\n")
    for number in range(60):
        (tree / f"cart_total_{number:02}.py").write_text("def total_of_cart(): ...\n")
    named = json.dumps({"files": ["cart_total_00.py", "cart_total_59.py"]})
    done = curated(ouro, tree, named)
    assert done.code == 0
    (told,) = [line for line in done.err.splitlines() if line.startswith("[AI] only ")]
    assert 5 < int(told.split()[2]) < 30
    assert "'cart_total_59.py', which is not taken: it was not among the candidates" in done.err
    assert [file.path for file in read((tree / "cats.md").read_bytes()).files] == [
        "cart_total_00.py"
    ]


@pytest.mark.proves("L18")
@pytest.mark.parametrize(
    ("turns", "said"),
    [
        (('{"ranked_files": []}',), "finds no file that has to do with the task"),
        ((ranking(shop__mail_py=0.3),), "ranks no file 0.7 or higher"),
        ((ranking(gone_py=0.9),), "of the files that the model names none can be taken"),
        (("cart.py, I think", "really: cart.py"), "the model gave no ranking of files"),
        (('{"ranked_files": 1}', '{"files": 2}'), "the model gave no ranking of files"),
    ],
)
def test_without_a_choice_there_is_an_error_and_no_bundle(
    ouro: Ouro, tree: Path, turns: tuple[str, ...], said: str
) -> None:
    (tree / "cats.md").write_text("what was there\n")
    done = curated(ouro, tree, *turns)
    assert done.code == 1
    assert said in done.err
    assert (tree / "cats.md").read_text() == "what was there\n"


@pytest.mark.proves("L12", "L14")
def test_an_answer_that_is_no_ranking_may_be_mended_once(ouro: Ouro, tree: Path) -> None:
    done = curated(ouro, tree, "The cart, I think.", GOOD)
    assert done.code == 0
    assert "[AI] the answer is no ranking; asking for it again" in done.err


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    call = ScriptedCall(name="search", arguments={"pattern": "class cart"})
    turns = [
        Turn(tool_calls=(call, ScriptedCall(name="read", arguments={"path": ".env"}))),
        Turn(text="no"),
        Turn(text=GOOD),
    ]
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(serving(turns)) as running,
    ):
        yield running


@pytest.mark.proves("L12", "L14")
@pytest.mark.parametrize("provider", ["openai", "openai-chat", "anthropic", "google", "ollama"])
def test_the_model_may_search_and_mend_in_every_wire_format(
    ouro: Ouro,
    tree: Path,
    server: ScriptedServer,
    provider: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "sk-test-key")
    monkeypatch.setenv("OUROBOROS_BASE_URL", server.url)
    done = ouro("cats", "--ai-curate", TASK, "--model", f"{provider}/scripted", "--json")
    assert done.code == 0, done.err
    assert [each["path"] for each in json.loads(done.out)["files"]] == [
        "shop/cart.py",
        "shop/tax.py",
    ]
    bodies = [exchange.body for exchange in server.exchanges]
    assert len(bodies) == 3
    assert "shop/cart.py | about" in bodies[0]
    assert "notes.md" in bodies[0]
    assert ".env" not in bodies[0]
    assert "shop/cart.py:1: class Cart:" in bodies[1]
    assert "there is no tool 'read' here" in bodies[1].replace('\\"', "'").replace("\\u0027", "'")
    assert "That is no ranking" in bodies[2]
    assert '[AI] searching {"pattern":' in done.err
