"""`ouro cats`: what it writes, what it says, and what it leaves alone when it cannot."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.app.paws import cats
from ouroboros.faces.cli.entry import main
from ouroboros.workspace.artifacts.cats import read
from tests import forked
from tests.small_disk import fill, mounted
from tests.unit.cli.commands.calling import Ouro

pytestmark = pytest.mark.real

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def tree(project: Path) -> Path:
    (project / "src").mkdir()
    (project / "src/cart.py").write_text("class Cart:\n    def total(self):\n        return 1\n")
    (project / "src/other.py").write_text("def other():\n    return KEY\n")
    (project / "README.md").write_text("# Shop\n```sh\nrun\n```\n")
    (project / "logo.bin").write_bytes(bytes(range(256)))
    return project


def names(path: Path) -> list[str]:
    return [file.path for file in read(path.read_bytes()).files]


@pytest.mark.proves("L01")
def test_a_bundle_is_written_beside_the_files_and_read_back(ouro: Ouro, tree: Path) -> None:
    done = ouro("cats")
    assert done.code == 0
    assert done.out == ""
    bundle = read((tree / "cats.md").read_bytes())
    for file in bundle.files:
        assert file.data == (tree / file.path).read_bytes()
    assert names(tree / "cats.md") == ["README.md", "logo.bin", "src/cart.py", "src/other.py"]
    lines = done.err.splitlines()
    assert lines[-1].startswith("4 files, about ")
    assert lines[-1].endswith(
        f"tokens, {(tree / 'cats.md').stat().st_size:,} bytes: {tree}/cats.md"
    )
    assert any(line.endswith("  src/cart.py") for line in lines)
    first = (tree / "cats.md").read_bytes()
    assert ouro("cats").code == 0
    assert (tree / "cats.md").read_bytes() == first


@pytest.mark.proves("L09")
def test_the_order_in_which_files_came_to_be_does_not_matter(
    ouro: Ouro, tree: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    (copy / "src").mkdir(parents=True)
    for name in ("src/other.py", "logo.bin", "src/cart.py", "README.md"):
        (copy / name).write_bytes((tree / name).read_bytes())
        os.utime(copy / name, (1, 1))
    assert ouro("cats", "-o", str(tmp_path / "one")).code == 0
    assert ouro("cats", "--root", str(copy), "-o", str(tmp_path / "two")).code == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.proves("L01")
def test_a_pipe_gets_the_bundle_and_nothing_else(ouro: Ouro, tree: Path) -> None:
    done = ouro("cats", "src", "-o", "-", "-x", "other*", "--task", "Add: it up")
    assert done.out == (
        '---\nversion: "1.0"\ntask_description: "Add: it up"\nmetadata:\n  source_session: null\n'
        '  curation_method: "manual"\n---\n\n'
        "```python:src/cart.py\nclass Cart:\n    def total(self):\n        return 1\n```\n"
    )
    assert "1 file, about" in done.err
    assert not (tree / "cats.md").exists()
    assert ouro("cats", "src", "-o", "-", "-q").err == ""


@pytest.mark.deep
@pytest.mark.proves("L26")
def test_paths_come_from_standard_input(tree: Path) -> None:
    odd = "a b ü.txt"
    (tree / odd).write_text("odd\n")
    command = [sys.executable, "-m", "ouroboros", "paws", "cats", "-q", "-o", "-"]
    for words, given in (
        (["--stdin"], f"src/cart.py\n{odd}\n"),
        (["-0"], f"src/cart.py\0{odd}\0"),
    ):
        done = forked.run([*command, *words], input=given.encode(), capture_output=True, check=True)
        assert [file.path for file in read(done.stdout).files] == [odd, "src/cart.py"]
    done = forked.run([*command, "--stdin"], input=b"", capture_output=True, check=False)
    assert done.returncode == 2
    assert b"no path came on standard input" in done.stderr


@pytest.mark.proves("L01")
def test_a_device_or_a_pipe_is_written_to_and_not_replaced(ouro: Ouro, tree: Path) -> None:
    command = [sys.executable, "-m", "ouroboros", "cats", "src", "-q", "-o", "/dev/stdout"]
    done = forked.run(command, capture_output=True, check=True)
    assert len(read(done.stdout).files) == 2
    full = ouro("cats", "src", "-o", "/dev/full")
    assert full.code == 1
    assert "cannot be written: No space left on device" in full.err
    assert Path("/dev/full").is_char_device()


@pytest.mark.proves("L26")
def test_a_list_may_name_what_is_gone_and_has_no_globs(tree: Path) -> None:
    (tree / "a[1].py").write_text("x\n")
    command = [sys.executable, "-m", "ouroboros", "cats", "--stdin", "-o", "-"]
    given = b"gone.py\na[1].py\nsrc/*.py\n"
    done = forked.run(command, input=given, capture_output=True, check=True)
    assert [file.path for file in read(done.stdout).files] == ["a[1].py"]
    assert b"left out: gone.py (it is not there)" in done.stderr
    assert b"left out: src/*.py (it is not there)" in done.stderr


@pytest.mark.deep
@pytest.mark.proves("L26")
def test_a_list_may_name_links_and_pipes_as_git_lists_them(tree: Path) -> None:
    (tree / "loop").symlink_to("loop")
    (tree / "away").symlink_to(tree.parent)
    (tree / "nowhere").symlink_to("gone")
    os.mkfifo(tree / "pipe")
    command = [sys.executable, "-m", "ouroboros", "cats", "-0", "-o", "-"]
    given = b"\0".join([b"loop", b"away", b"nowhere", b"pipe", b"../up", b"", b"README.md"])
    done = forked.run(command, input=given, capture_output=True, check=True)
    assert [file.path for file in read(done.stdout).files] == ["README.md"]
    for left in (
        b"away (it leads out of the project)",
        b"loop (it is neither a file nor a folder)",
        b"nowhere (it is neither a file nor a folder)",
        b"pipe (it is neither a file nor a folder)",
    ):
        assert b"left out: " + left in done.stderr


@pytest.mark.proves("L26")
def test_a_name_takes_one_line_whatever_is_in_it(ouro: Ouro, tree: Path) -> None:
    for name in (b"a\n9 files, about 9 tokens", b"\xff.py", b"\x1b[2J.py"):
        (tree / os.fsdecode(name)).write_text("x\n")
    done = ouro("cats", "--exclude", "src")
    left = sorted(line for line in done.err.splitlines() if line.startswith("left out:"))
    assert left == [
        "left out: \\u{1b}[2J.py (its path cannot be told: it holds control characters)",
        "left out: \\u{dcff}.py (its path cannot be told: its name is no valid Unicode)",
        "left out: a\\u{a}9 files, about 9 tokens (its path cannot be told: it holds control characters)",
    ]
    assert done.err.count("\n9 files") == 0
    for words in (("--json",), ("--json", "--dry-run")):
        done = ouro("cats", "-q", *words)
        assert done.code == 0
        assert set(json.loads(done.out)["left"]) == {
            "\x1b[2J.py",
            "\\xff.py",
            "a\n9 files, about 9 tokens",
        }


@pytest.mark.proves("L21")
def test_machines_are_told_what_went_in(ouro: Ouro, tree: Path) -> None:
    (tree / ".env").write_text(f"TOKEN={KEY}\n")
    os.mkfifo(tree / "pipe")
    done = ouro("cats", "--json", "-q")
    said = json.loads(done.out)
    assert said["output"] == str(tree / "cats.md")
    assert {each["path"] for each in said["files"]} == set(names(tree / "cats.md"))
    assert said["tokens"] > sum(each["tokens"] for each in said["files"]) > 0
    assert said["left"] == {"pipe": "it is no regular file"}
    assert said["secrets"].keys() == {".env"}


@pytest.mark.proves("L22")
def test_files_with_secrets_stay_out_unless_they_are_wanted(ouro: Ouro, tree: Path) -> None:
    (tree / "config.py").write_text(f'x = 1\nTOKEN = "{KEY}"\n')
    (tree / "id_rsa").write_text("something\n")
    (tree / "wide.ps1").write_bytes(f"$x = '{KEY}'".encode("utf-16-le"))
    done = ouro("cats")
    assert done.code == 0
    assert "left out for its secrets: config.py (github-pat in line 2)" in done.err
    assert "left out for its secrets: id_rsa (its name is that of a file with secrets)" in done.err
    assert "left out for its secrets: wide.ps1 (github-pat)" in done.err
    assert KEY not in (tree / "cats.md").read_text()
    assert KEY not in done.err
    done = ouro("cats", "--include-secrets")
    assert KEY in (tree / "cats.md").read_text()
    assert "with secrets: config.py" in done.err
    done = ouro("cats", "config.py", "-o", "only.md")
    assert done.code == 1
    assert "every file was left out, so no bundle was written: config.py" in done.err
    assert not (tree / "only.md").exists()


@pytest.mark.proves("L22", "L24", "divergences-a-pattern-of-files-with")
def test_files_with_secrets_may_be_wanted_by_pattern(ouro: Ouro, tree: Path) -> None:
    for name in ("config.py", "tests/keys/one.py", "tests/two.py"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(f'TOKEN = "{KEY}"\n')
    done = ouro("cats", "--include-secrets=tests/keys/", "--include-secrets=two.*", "src", "tests")
    assert names(tree / "cats.md") == [
        "src/cart.py",
        "src/other.py",
        "tests/keys/one.py",
        "tests/two.py",
    ]
    done = ouro("cats", "--include-secrets=tests/**", "--include-secrets=!two.py")
    assert "with secrets: tests/keys/one.py" in done.err
    assert "left out for its secrets: config.py" in done.err
    assert "left out for its secrets: tests/two.py" in done.err
    ouro("cats", "--include-secrets", "tests")
    assert names(tree / "cats.md") == ["tests/keys/one.py", "tests/two.py"]


@pytest.mark.proves("L21")
def test_a_budget_ends_it_before_anything_is_written(ouro: Ouro, tree: Path) -> None:
    (tree / "cats.md").write_text("what was there\n")
    done = ouro("cats", "--max-tokens", "50")
    assert done.code == 3
    assert "more than 50; nothing was written" in done.err
    assert "the largest: logo.bin" in done.err
    assert (tree / "cats.md").read_text() == "what was there\n"
    assert sorted(path.name for path in tree.iterdir()) == sorted((
        *(".git", "README.md", "cats.md", "logo.bin", "src"),
    ))
    assert ouro("cats", "src", "--max-tokens", "100").code == 0


@pytest.mark.proves("L23")
def test_large_files_may_come_as_their_signatures(ouro: Ouro, tree: Path) -> None:
    (tree / "src/cart.js").write_text(
        "export class Basket {\n  add(item) {\n    return 2;\n  }\n}\n"
    )
    assert "README.md (whole: its signatures are not known)" in ouro("cats", "--outline", "*").err
    done = ouro("cats", "src", "--outline", "cart.*", "-o", "-")
    assert "return 1" not in done.out
    assert "return 2" not in done.out
    assert "return KEY" in done.out
    assert "python:src/cart.py outline\n" in done.out
    assert "1: class Cart\n  2: def total(self)\n" in done.out
    assert "1: class Basket" in done.out
    assert "2: add(item)" in done.out
    assert "src/cart.py (signatures)" in done.err
    assert [file.is_outline for file in read(done.out.encode()).files] == [True, True, False]


@pytest.mark.proves("L24")
def test_words_for_the_model_go_in_front_in_order(ouro: Ouro, tree: Path, tmp_path: Path) -> None:
    (tree / "persona.md").write_text("You are brief.\n")
    (tmp_path / "system.md").write_text("Answer with blocks.")
    for dialect in ("v1", "paws"):
        done = ouro(
            "cats", "-p", "persona.md", "-s", "../system.md", "-o", "-", "--format", dialect
        )
        places = [done.out.index(each) for each in ("You are brief", "Answer with", "class Cart")]
        assert places == sorted(places)
        assert "persona.md" not in [file.path for file in read(done.out.encode()).files]
    assert ouro("cats", "-p", "missing.md").code == 2


@pytest.mark.deep
@pytest.mark.proves("L24")
def test_a_bundle_can_say_how_to_answer_and_what_it_says_is_true(ouro: Ouro, tree: Path) -> None:
    (tree / "system.md").write_text("Be brief.")
    asked = ("cats", "src/other.py", "-s", "system.md", "-o", "-")
    assert "How to answer" not in ouro(*asked).out
    for options in ((), ("-t",), ("--format", "paws")):
        out = ouro(*asked, "--how-to-answer", *options).out
        places = [out.index(each) for each in ("Be brief.", "How to answer", "def other")]
        assert places == sorted(places)
        assert ("PAWS_CMD" in out) == (options == ("-t",))
    for name, text in {
        "src/example.py": "def total(items):\n    return sum(items)\n\n\ndef empty():\n    return None\n",
        "old/example.txt": "x\n",
        "old/name.py": "y\n",
    }.items():
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text)

    def applied() -> None:
        words = ["dogs", "answer.md", "-y"]
        forked.run([sys.executable, "-m", "ouroboros", *words], capture_output=True, check=True)

    words = (Path(cats.__file__).parent / "prompts" / "answer.md").read_text()
    (tree / "answer.md").write_text(words)
    applied()
    assert "* 1.2" in (tree / "src/example.py").read_text()
    assert "return []" in (tree / "src/example.py").read_text()
    assert (tree / "docs/example.md").read_text() == "# Example\n"
    assert not (tree / "old/example.txt").exists()
    assert (tree / "new/name.py").read_text() == "y\n"
    (tree / "src/example.py").write_text("".join(f"{number}\n" for number in range(1, 12)))
    words = (Path(cats.__file__).parent / "prompts" / "numbered.md").read_text()
    (tree / "answer.md").write_text(words)
    applied()
    assert (tree / "src/example.py").read_text().splitlines() == [
        *("1", "    return sum(items) * 1.2", "3", "4", "5", "6", "MOST = 10", "7", "10", "11"),
    ]


@pytest.mark.proves("L22", "L24")
def test_words_for_the_model_have_bounds(ouro: Ouro, tree: Path) -> None:
    done = ouro("cats", "-p", "/dev/zero")
    assert done.code == 2
    assert "'/dev/zero' has more than 10,000,000 bytes" in done.err
    assert not (tree / "cats.md").exists()


@pytest.mark.proves("L10")
def test_the_markers_of_the_original_and_numbered_lines(ouro: Ouro, tree: Path) -> None:
    done = ouro("cats", "src/other.py", "--format", "paws", "--prepare-for-delta", "-o", "-")
    assert done.out == (
        "# Cats Bundle\n# Format: Raw UTF-8; binaries as Base64\n# Delta Reference: Yes\n\n"
        "🐈 --- CATS_START_FILE: src/other.py ---\ndef other():\n    return KEY\n\n"
        "🐈 --- CATS_END_FILE: src/other.py ---\n"
    )
    done = ouro("cats", "src/other.py", "-t", "-o", "-")
    assert "```python:src/other.py numbered\n1| def other():\n2|     return KEY\n```\n" in done.out


@pytest.mark.proves("L07")
def test_what_is_no_text_may_stay_out(ouro: Ouro, tree: Path) -> None:
    done = ouro("cats", "--no-binary")
    assert "left out: logo.bin (it is no text)" in done.err
    assert names(tree / "cats.md") == ["README.md", "src/cart.py", "src/other.py"]


@pytest.mark.deep
@pytest.mark.proves("L11")
def test_an_answer_can_name_the_lines_of_a_numbered_bundle(ouro: Ouro, tree: Path) -> None:
    assert ouro("cats", "src/cart.py", "-t", "-o", "seen.md").code == 0
    (tree / "answer.md").write_text(
        "🐕 --- DOGS_START_FILE: src/cart.py ---\n@@ PAWS_CMD REPLACE_LINES(3, 3) @@\n"
        "        return 2\n🐕 --- DOGS_END_FILE: src/cart.py ---\n"
    )
    cart = tree / "src/cart.py"
    cart.write_text(f"# moved down since\n{cart.read_text()}")
    words = ["dogs", "answer.md", "-d", "seen.md", "-y"]
    forked.run([sys.executable, "-m", "ouroboros", *words], capture_output=True, check=True)
    assert cart.read_text().splitlines()[3] == "        return 2"


@pytest.mark.proves("L03")
def test_an_earlier_bundle_is_not_put_into_the_next_one(ouro: Ouro, tree: Path) -> None:
    assert ouro("cats", "-o", "context.txt").code == 0
    done = ouro("cats")
    assert "left out: context.txt (it is a bundle itself)" in done.err
    assert "context.txt" not in names(tree / "cats.md")
    assert ouro("cats", "context.txt", "-o", "outer.md").code == 0
    assert names(tree / "outer.md") == ["context.txt"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nope.py",), "there is no 'nope.py'"),
        (("-o", "src"), "'src' is a folder"),
        (("-o", "gone/x.md"), "there is no folder"),
        (("--root", "README.md"), "'README.md' is not a folder"),
        (("--json", "-o", "-"), "--json cannot print, too"),
        (("--session", "x", "--root", "."), "name two roots"),
        (("--ai-curate", " "), "--ai-curate names no task"),
        (("--max-tokens", "0"), "0 is not in the range"),
        (("-x", "*", "."), "no file is left"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(
    ouro: Ouro, tree: Path, words: tuple[str, ...], said: str
) -> None:
    before = sorted(tree.rglob("*"))
    done = ouro("cats", *words)
    assert done.code in {1, 2}
    assert said in done.err
    assert done.out == ""
    assert sorted(tree.rglob("*")) == before


@pytest.mark.proves("L06")
def test_paths_are_those_from_the_root_wherever_it_is_called(
    ouro: Ouro, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree / "src")
    assert ouro("cats", "cart.py", "../README.md", "-o", "here.md").code == 0
    assert names(tree / "src/here.md") == ["README.md", "src/cart.py"]
    assert ouro("cats", "cart.py", "--root", ".", "-o", "here.md").code == 0
    assert names(tree / "src/here.md") == ["cart.py"]
    done = ouro("cats", "../README.md", "--root", ".", "-o", "here.md")
    assert done.code == 2
    assert "lies outside of the project" in done.err


@pytest.mark.deep
@pytest.mark.proves("paws-bad-bundles-in")
def test_a_full_disk_leaves_the_old_bundle(ouro: Ouro, tree: Path, tmp_path: Path) -> None:
    (tree / "big.txt").write_bytes(b"line\n" * 500_000)
    with mounted(tmp_path / "small", mebibytes=1) as small:
        (small / "out.md").write_text("old\n")
        fill(small / "filler")
        done = ouro("cats", "-o", str(small / "out.md"))
        assert done.code == 1
        assert "cannot be written: No space left on device; what was there is as it was" in done.err
        assert (small / "out.md").read_text() == "old\n"
        assert sorted(path.name for path in small.iterdir()) == ["filler", "out.md"]


@pytest.mark.proves("paws-bad-bundles-in")
def test_what_a_killed_call_left_goes_with_the_next_one(ouro: Ouro, tree: Path) -> None:
    (tree / ".cats.md.00.cats-part").write_text("half")
    with (tree / ".cats.md.11.cats-part").open("w") as busy:
        fcntl.flock(busy.fileno(), fcntl.LOCK_EX)
        assert ouro("cats").code == 0
    assert [path.name for path in tree.glob(".*cats-part")] == [".cats.md.11.cats-part"]
    assert not [name for name in names(tree / "cats.md") if "part" in name]


def test_a_link_or_a_mode_of_the_output_stays(ouro: Ouro, tree: Path, tmp_path: Path) -> None:
    real = tmp_path / "real.md"
    real.write_text("old\n")
    real.chmod(0o640)
    (tree / "out.md").symlink_to(real)
    assert ouro("cats", "src", "-o", "out.md").code == 0
    assert (tree / "out.md").is_symlink()
    assert names(real) == ["src/cart.py", "src/other.py"]
    assert real.stat().st_mode & 0o777 == 0o640


@pytest.mark.deep
@pytest.mark.proves("paws-bad-bundles-in")
def test_a_reader_that_left_is_no_mistake(tree: Path) -> None:
    (tree / "big.txt").write_bytes(b"line\n" * 100_000)
    command = [sys.executable, "-u", "-m", "ouroboros", "cats", "-q", "-o", "-"]
    with forked.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.wait() in {141, -signal.SIGPIPE}
        assert running.stderr is not None
        assert b"Traceback" not in running.stderr.read()


@pytest.mark.proves("paws-program-paws")
def test_the_program_paws_has_the_same_commands(
    tree: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cats", "src", "-q", "-o", "-"], "paws") == 0
    bundle = capsys.readouterr().out
    assert main(["paws", "cats", "src", "-q", "-o", "-"]) == 0
    assert capsys.readouterr().out == bundle
    assert main(["--help"], "paws") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Usage: paws [OPTIONS]")
    assert main(["kats"], "paws") == 2
    assert "did you mean 'cats'?" in capsys.readouterr().err
    assert main(["--version"], "paws") == 0
    assert capsys.readouterr().out.startswith("paws ")
