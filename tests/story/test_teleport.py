"""A session with its files goes to an empty machine; archives that lie do not."""

import gzip
import json
import shlex
import shutil
import stat
import subprocess
import tarfile
import tracemalloc
import zlib
from hashlib import sha1
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ouroboros.app.teleport.manifest import Manifest, Member, digest
from ouroboros.workspace.checkpoints.objects import FOLDER, LINK, Entry, commit_of, name_of, tree_of
from ouroboros.workspace.checkpoints.packs import PackWriter
from tests.story.test_cli_run import ouro, script

KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """An archive of a session that wrote files in two turns."""
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    (work / "run.sh").write_text("echo hello\n", "utf-8")
    (work / "run.sh").chmod(0o755)
    (work / "sub" / "link").symlink_to("../run.sh")
    (work / "out").symlink_to("/etc/hostname")
    (work / ".ouroboros").mkdir()
    (work / ".ouroboros" / "config.toml").write_text("mode = 'ask'\n", "utf-8")
    (work / "Case").write_text("1", "utf-8")
    (work / "case").write_text("2", "utf-8")
    (work / "bytes.bin").write_bytes(bytes(range(256)) * 40)
    (work / "keys.txt").write_text(f"token = {KEY}\n", "utf-8")
    for words, content in (("first", "one\n"), (f"second with {KEY}", "two\n")):
        call = {"name": "write", "arguments": {"path": "a.txt", "content": content}}
        spoken = [{"text": "."}] * 2 if words != "first" else []
        model = script(tmp_path, *spoken, {"tool_calls": [call]}, {"text": f"Wrote {content}"})
        flags = ("--continue",) if words != "first" else ()
        ran = ouro("run", words, "--model", model, "--mode", "full-auto", *flags, cwd=work)
        assert ran.returncode == 0, ran.stderr
    archive = tmp_path / "out.teleport"
    left = ouro("teleport", "export", "last", "-o", str(archive), cwd=work)
    assert left.returncode == 0, left.stderr
    assert all(each in left.stderr for each in ("keys.txt", "out: a link", ".ouroboros: a folder"))
    return archive


def state_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content of everything in a folder."""
    return {
        str(path.relative_to(folder)): (
            stat.S_IMODE(path.lstat().st_mode) if not path.is_symlink() else 0,
            str(path.readlink()).encode()
            if path.is_symlink()
            else b""
            if path.is_dir()
            else path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.proves("K10", "K11", "divergences-secrets-in-a-teleports-files")
def test_an_empty_machine_has_the_same_conversation_and_the_same_files(
    packed: Path, tmp_path: Path
) -> None:
    there = {"OUROBOROS_HOME": str(tmp_path / "other machine")}
    into = tmp_path / "place" / "here"
    nothing_is_overwritten(packed, there)
    came = ouro("teleport", "import", str(packed), "--into", str(into), cwd=tmp_path, **there)
    assert came.returncode == 0, came.stderr
    name = came.stdout.strip()

    expected = state_of(tmp_path / "work")
    mode, _ = expected["keys.txt"]
    found = state_of(into)
    assert KEY.encode() not in found["keys.txt"][1]
    assert found.pop("keys.txt")[0] == mode
    for stayed in ("keys.txt", "out", ".ouroboros", ".ouroboros/config.toml"):
        del expected[stayed]
    assert found == expected

    logs = [ouro("export", name, cwd=tmp_path, **home).stdout for home in ({}, there)]
    said = [
        json.loads(line)["data"]["message"]["parts"][0]["text"]
        for log in logs
        for line in log.splitlines()
        if '"agent.message"' in line and '"text"' in line
    ]
    assert said[: len(said) // 2] == said[len(said) // 2 :] != []
    assert KEY not in logs[1]

    back = ouro("rewind", name, "--to", "1", "--files", "--yes", cwd=into, **there)
    assert back.returncode == 0, back.stderr
    assert (into / "a.txt").read_text("utf-8") == "one\n"
    model = script(tmp_path, *[{"text": "."}] * 4, {"text": "Three."})
    again = ouro("run", "third", "--resume", name, "--model", model, cwd=into, **there)
    assert (again.returncode, again.stdout) == (0, "Three.\n")


def nothing_is_overwritten(packed: Path, there: dict[str, str]) -> None:
    """Nothing is left of a refusal, either."""
    place = packed.parent
    full = place / "full"
    full.mkdir()
    (full / "mine").write_text("mine", "utf-8")
    refused = ouro("teleport", "import", str(packed), "--into", str(full), cwd=place, **there)
    twice = ouro("teleport", "export", "last", "-o", str(packed), cwd=place / "work")
    assert (refused.returncode, "not empty" in refused.stderr) == (2, True)
    assert state_of(full) == {"mine": (0o644, b"mine")}
    assert (twice.returncode, "exists already" in twice.stderr) == (2, True)
    assert not [*place.glob(".teleport-*")]


@pytest.mark.deep
def test_an_archive_beside_the_work_holds_no_other_and_nothing_of_how_it_was_made(
    packed: Path, tmp_path: Path
) -> None:
    work, there = tmp_path / "work", {"OUROBOROS_HOME": str(tmp_path / "other machine")}
    (work / "bytes.bin").write_bytes(b"\0\1" + f"token = {KEY}\n".encode())
    packed.rename(work / packed.name)

    left = ouro("teleport", "export", "last", "-o", "second", cwd=work)
    came = ouro("teleport", "import", "second", "--into", str(tmp_path / "here"), cwd=work, **there)

    assert came.returncode == 0, (left.stderr, came.stderr)
    names = {path.name for path in (tmp_path / "here").iterdir()}
    expected = {path.name for path in work.iterdir()} - {"out", ".ouroboros", packed.name, "second"}
    assert names == expected
    assert f"{packed.name}: an archive" in left.stderr
    assert "may have secrets" in left.stderr
    assert "  bytes.bin\n" in left.stderr
    assert stat.S_IMODE((work / "second").stat().st_mode) == 0o600


@pytest.mark.proves("K10")
@pytest.mark.deep
def test_its_checkpoints_are_a_bundle_that_git_reads(packed: Path, tmp_path: Path) -> None:
    with tarfile.open(packed) as held:
        held.extract("checkpoints.bundle", tmp_path, filter="data")
    git = ["git", "-C", str(tmp_path / "clone")]
    subprocess.run(["git", "init", "-q", str(tmp_path / "clone")], check=True)
    refs = "refs/checkpoints/*:refs/heads/c*"
    subprocess.run([*git, "fetch", "-q", str(tmp_path / "checkpoints.bundle"), refs], check=True)

    shown = [
        subprocess.run(
            [*git, "show", f"c0000000{n}:a.txt"], capture_output=True, check=False
        ).stdout
        for n in (1, 2, 3)
    ]
    assert shown == [b"", b"one\n", b"two\n"]


@pytest.mark.proves("K11")
@pytest.mark.parametrize("count", [10, pytest.param(80, marks=pytest.mark.deep)])
def test_an_archive_that_was_changed_anywhere_is_refused(tmp_path: Path, count: int) -> None:
    from ouroboros.app.teleport.arriving import arrive
    from ouroboros.core.errors import OuroborosError

    made = archive_of(tmp_path / "made", [(b"a.txt", FILE, b"two\n"), (b"b", FILE, b"x" * 4096)])
    raw = made.read_bytes()
    inside = gzip.decompress(raw)
    home, into, bad = tmp_path / "home", tmp_path / "into", tmp_path / "bad.teleport"
    ends = [0, 100, 512, *range(700, len(inside), max(1, len(inside) // count)), len(inside) - 1]
    for at in ends:
        for broken in (
            inside[:at] + bytes([inside[at] ^ 0x41]) + inside[at + 1 :],
            inside[:at],
        ):
            bad.write_bytes(gzip.compress(broken, 1))
            try:
                arrive(home, bad, into)
            except OuroborosError:
                assert not into.exists()
            else:  # such bytes of a header mean nothing, as that of the owner
                assert state_of(into)["a.txt"][1] == b"two\n"
                shutil.rmtree(into)
    for at in range(20, len(raw), len(raw) // count):
        bad.write_bytes(raw[:at] + bytes([raw[at] ^ 0xFF]) + raw[at + 1 :])
        with pytest.raises(OuroborosError):
            arrive(home, bad, into)
        assert not into.exists()


def archive_of(
    folder: Path, entries: list[tuple[bytes, int, bytes]], *, raw: bytes = b"", **more: object
) -> Path:
    """A well sealed archive of one checkpoint with these names in its top folder.

    ``more`` goes into its manifest, ``raw`` stands in the place of it.
    """
    folder.mkdir()
    writer = PackWriter(folder)
    made: list[Entry] = []
    for name, mode, data in entries:
        kind = "tree" if mode == FOLDER else "blob"
        sha = name_of(kind, data)
        writer.add(kind, sha, data)
        made.append(Entry(name=name, mode=mode, sha=sha))
    tree = tree_of(made)
    commit = commit_of(name_of("tree", tree), "x", 1.0)
    writer.add("tree", name_of("tree", tree), tree)
    writer.add("commit", name_of("commit", commit), commit)
    writer.finish()
    head = name_of("commit", commit).hex()
    packs = (folder / writer.name).read_bytes()
    bundle = f"# v2 git bundle\n{head} refs/checkpoints/00000001\n\n".encode() + packs
    files = [("session.jsonl", LINE), ("checkpoints.bundle", bundle)]
    return sealed(folder / "made.teleport", files, raw=raw, **{"checkpoint": head, **more})


LINE = (
    b'{"v":1,"id":"evt_1","session":"ses_x","turn":0,"seq":1,"ts":1.0,"type":"user.message",'
    b'"source":"user","data":{"message":{"id":"m","role":"user","parts":[{"type":"text","text":"x"}]}}}\n'
)


def sealed(
    target: Path, files: list[tuple[str, bytes]], *, raw: bytes = b"", **more: object
) -> Path:
    """An archive of these members, as it should be."""
    members = tuple(Member(name=n, bytes=len(d), sha256=digest(d)) for n, d in files)
    manifest = Manifest(session="ses_x", cwd="/", made=1.0, members=members)
    told = raw or json.dumps({**msgspec.to_builtins(manifest), **more}).encode()
    out = BytesIO()
    for name, data in [("manifest.json", told), ("seal", digest(told).encode()), *files]:
        held = tarfile.TarInfo(name)
        held.size = len(data)
        out.write(held.tobuf(tarfile.USTAR_FORMAT) + data + b"\0" * (-len(data) % 512))
    target.write_bytes(gzip.compress(out.getvalue() + b"\0" * 1024, 1))
    return target


FILE = 0o100644


LEADS_ELSEWHERE = (
    ([(b"..", FOLDER, b"")], "leads out"),
    ([(b"a/b", FILE, b"x")], "leads out"),
    ([(b".git", FOLDER, b"")], "steers"),
    ([(b".GIT ", FOLDER, b"")], "steers"),
    ([(".g\u200cit".encode(), FOLDER, b"")], "steers"),
    ([(b"git~1", FILE, b"x")], "steers"),
    ([(b".ouroboros", FOLDER, b"")], "steers"),
    ([(b"l", LINK | 0o777, b"/etc/passwd")], "leads out"),
    ([(b"l", LINK | 0o777, b"../x")], "leads out"),
    ([(b"l", LINK | 0o777, b"a/../../x")], "leads out"),
    ([(b"l", LINK | 0o777, b"a/../x")], "leads out"),
    ([(b"a", FILE, b"1"), (b"a", FILE, b"2")], "twice"),
    ([(b"f", 0o010644, b"")], "no file, folder or link"),
    ([(b"d", 0o060644, b"")], "no file, folder or link"),
)
CANNOT_BE_TRUE: tuple[tuple[dict[str, Any], str], ...] = (
    ({"format": 2}, "later version"),
    ({"format": "x"}, "form is unknown"),
    ({"raw": b'{"format":' + b"[" * 200_000}, "cannot be read"),
    ({"checkpoint": "0" * 40}, "does not have"),
    ({"members": []}, "names files"),
    ({"members": [{"name": "../x", "bytes": 1, "sha256": ""}]}, "names files"),
    ({"members": [{"name": "session.jsonl", "bytes": 2**60, "sha256": ""}]}, "larger"),
    ({"members": [{"name": "session.jsonl", "bytes": -1, "sha256": ""}]}, "cannot be true"),
)


def refusal(tmp_path: Path, archive: Path) -> str:
    """Why it is not taken."""
    from ouroboros.app.teleport.arriving import arrive
    from ouroboros.core.errors import Misuse

    try:
        arrive(tmp_path / "home", archive, tmp_path / "into")
    except Misuse as refused:
        return "something is left" if (tmp_path / "into").exists() else str(refused)
    return "nothing is wrong with it"


@pytest.mark.proves("K11")
def test_checkpoints_that_lead_elsewhere_are_refused(tmp_path: Path) -> None:
    told = [
        (entries, said, refusal(tmp_path, archive_of(tmp_path / f"made {number}", entries)))
        for number, (entries, said) in enumerate(LEADS_ELSEWHERE)
    ]
    assert [each for each in told if each[1] not in each[2]] == []


@pytest.mark.proves("K11")
def test_manifests_that_cannot_be_true_are_refused(tmp_path: Path) -> None:
    entries = [(b"f", FILE, b"x")]
    told = [
        (more, said, refusal(tmp_path, archive_of(tmp_path / f"made {number}", entries, **more)))
        for number, (more, said) in enumerate(CANNOT_BE_TRUE)
    ]
    assert [each for each in told if each[1] not in each[2]] == []


@pytest.mark.proves("K10")
@pytest.mark.deep
def test_the_folder_is_the_sessions_own_however_it_is_written(tmp_path: Path) -> None:
    made = archive_of(tmp_path / "made", [(b"f", FILE, b"x")])
    (tmp_path / "behind").symlink_to(tmp_path)
    (tmp_path / "beside").mkdir()
    for number, into in enumerate(("../its place", "../behind/by a link")):
        came = ouro("teleport", "import", str(made), "--into", into, cwd=tmp_path / "beside")
        assert came.returncode == 0, came.stderr
        place = tmp_path / Path(into).name
        hint = shlex.split(came.stderr.splitlines()[-1].partition(": ")[2])
        assert hint[:3] == ["cd", str(place), "&&"]
        listed = ouro("sessions", "list", cwd=place)
        assert (number, listed.stdout.partition("\t")[0]) == (number, came.stdout.strip())


def test_an_archive_may_have_any_name(tmp_path: Path) -> None:
    from ouroboros.app.past import sessions
    from ouroboros.app.teleport.arriving import arrive

    made = archive_of(tmp_path / "made", [(b"f", FILE, b"x")])

    for name in ("checkpoints.bundle", "kept", "files", "manifest.json"):
        arrive(tmp_path / "home", made.rename(tmp_path / name), tmp_path / f"into {name}")
        made = tmp_path / name
    assert len(sessions.list_sessions(tmp_path / "home")) == 4


def test_nothing_is_left_where_the_checkpoints_cannot_be_kept(tmp_path: Path) -> None:
    from ouroboros.app.past import sessions
    from ouroboros.app.teleport.arriving import arrive
    from ouroboros.core.errors import OuroborosError

    made = archive_of(tmp_path / "made", [(b"f", FILE, b"x")])
    home, into = tmp_path / "home", tmp_path / "into"
    home.mkdir()
    (home / "checkpoints").write_text("in the way", "utf-8")

    with pytest.raises(OuroborosError):
        arrive(home, made, into)

    assert not sessions.list_sessions(home)
    assert not into.exists()


def test_nothing_is_left_where_the_session_cannot_be_kept(tmp_path: Path) -> None:
    from ouroboros.app.rewind.offline import sizes
    from ouroboros.app.teleport.arriving import arrive
    from ouroboros.core.errors import OuroborosError
    from ouroboros.store import Lease

    made = archive_of(tmp_path / "made", [(b"f", FILE, b"x")])
    home, into = tmp_path / "home", tmp_path / "into"

    with Lease.take(home, "ses_x"), pytest.raises(OuroborosError):
        arrive(home, made, into)

    assert not into.exists()
    assert [each.checkpoints for each in sizes(home)] in ([], [0])


@pytest.mark.proves("K11")
def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    from ouroboros.app.teleport.arriving import arrive

    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    left = tmp_path / f".teleport-{gone.pid}-abc"
    (left / "files").mkdir(parents=True)

    arrive(
        tmp_path / "home", archive_of(tmp_path / "made", [(b"f", FILE, b"x")]), tmp_path / "here"
    )

    assert (tmp_path / "here" / "f").read_bytes() == b"x"
    assert not [*tmp_path.glob(".teleport-*")]


def test_folders_that_hold_themselves_over_and_over_are_refused(tmp_path: Path) -> None:
    from ouroboros.app.teleport.trees import checked
    from ouroboros.core.errors import Misuse

    kept: dict[bytes, bytes] = {}
    data = b""
    for _ in range(30):
        sha = name_of("tree", data)
        kept[sha] = data
        data = tree_of([Entry(name=bytes([97 + n]), mode=FOLDER, sha=sha) for n in range(10)])
    kept[name_of("tree", data)] = data

    with pytest.raises(Misuse, match="too many"):
        checked(lambda sha, _: kept[sha], name_of("tree", data))


def test_a_file_that_is_there_very_often_is_refused_before_it_fills_the_disk() -> None:
    from ouroboros.app.teleport.trees import checked
    from ouroboros.core.errors import Misuse

    zeros = bytes(16_777_216)
    sha = name_of("blob", zeros)
    often = tree_of([Entry(name=b"%04d" % n, mode=FILE, sha=sha) for n in range(300)])

    with pytest.raises(Misuse, match="too large"):
        checked(lambda _, kind: often if kind == "tree" else zeros, name_of("tree", often))


def test_a_link_is_judged_in_each_folder_that_it_stands_in(tmp_path: Path) -> None:
    from ouroboros.app.teleport.trees import Cleaning, checked
    from ouroboros.workspace.checkpoints.library import Library

    (tmp_path / "objects" / "pack").mkdir(parents=True)
    library = Library(tmp_path)
    inner = tree_of([Entry(name=b"l", mode=LINK | 0o777, sha=name_of("blob", b"../../x"))])
    deep = tree_of([Entry(name=b"in", mode=FOLDER, sha=name_of("tree", inner))])
    top = tree_of([
        Entry(name=b"a", mode=FOLDER, sha=name_of("tree", deep)),
        Entry(name=b"b", mode=FOLDER, sha=name_of("tree", inner)),
    ])
    commit = commit_of(name_of("tree", top), "x", 1.0)
    with library.writing():
        library.put("blob", name_of("blob", b"../../x"), b"../../x")
        for tree in (inner, deep, top):
            library.put("tree", name_of("tree", tree), tree)
        library.put("commit", name_of("commit", commit), commit)
    made: dict[bytes, bytes] = {}
    cleaning = Cleaning(library, lambda _, sha, data: made.update({sha: data}), None)

    cleaning.commit(name_of("commit", commit))

    assert set(cleaning.stayed) == {"b/l"}
    checked(lambda sha, _: made[sha], cleaning.tree(name_of("tree", top)))


@pytest.mark.proves("K11")
def test_rights_of_others_do_not_travel(tmp_path: Path) -> None:
    from ouroboros.app.teleport.arriving import arrive

    archive = archive_of(tmp_path / "made", [(b"f", 0o106755, b"x")])

    arrive(tmp_path / "home", archive, tmp_path / "into")

    assert stat.S_IMODE((tmp_path / "into" / "f").stat().st_mode) == 0o755


SWOLLEN = 71_303_168


def swollen(folder: Path) -> dict[str, tuple[Path, str]]:
    """Archives of at most a megabyte that would be seventy unpacked, and why each is refused."""
    zeros = bytes(SWOLLEN)
    tree = tree_of([Entry(name=b"f", mode=FILE, sha=bytes(20))]) * (SWOLLEN // 29)
    named = b"0" * 40 + b" refs/checkpoints/1\n"
    first = b"# v2 git bundle\n"
    bundles = {
        "a file": (first + named + b"\n" + a_pack(3, zeros), "unpacks to more"),
        "a folder": (first + named + b"\n" + a_pack(2, tree), "unpacks to more"),
        "names": (first + named * (SWOLLEN // len(named)), "more checkpoints"),
    }
    found = {
        kind: (
            sealed(folder / kind, [("session.jsonl", LINE), ("checkpoints.bundle", made)]),
            why,
        )
        for kind, (made, why) in bundles.items()
    }
    text = LINE.replace(b'"x"', b'"%s"' % (b"x" * SWOLLEN))
    found["a text"] = sealed(folder / "a text", [("session.jsonl", text)]), "larger than may be"
    output = [("session.jsonl", LINE), (f"blobs/{digest(zeros)}", zeros)]
    found["an output"] = sealed(folder / "an output", output), "nothing is wrong"
    raw = b'{"format":1,"x":[' + b"[]," * 3_000_000 + b"[]]}"
    found["a manifest"] = sealed(folder / "a manifest", [], raw=raw), "cannot be read"
    return found


def a_pack(kind: int, data: bytes) -> bytes:
    """Git's pack of one object."""
    size, first = len(data) >> 4, kind << 4 | len(data) & 15
    head = bytearray()
    while size:
        head.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    whole = b"PACK\0\0\0\2\0\0\0\1" + bytes([*head, first]) + zlib.compress(data, 1)
    return whole + sha1(whole, usedforsecurity=False).digest()


@pytest.mark.proves("K11")
@pytest.mark.deep
def test_a_small_archive_takes_no_more_memory_than_a_small_one(tmp_path: Path) -> None:
    for kind, (archive, why) in swollen(tmp_path).items():
        assert archive.stat().st_size < 2_000_000, kind
        tracemalloc.start()
        told = refusal(tmp_path / f"{kind} here", archive)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert why in told, kind
        assert peak < SWOLLEN // 2, (kind, peak)


def test_whole_outputs_are_kept_as_they_came(tmp_path: Path) -> None:
    from ouroboros.app.teleport.arriving import arrive
    from ouroboros.store.blobs import Blobs

    data = b"0123456789" * 300_000
    output = [("session.jsonl", LINE), (f"blobs/{digest(data)}", data)]
    made = sealed(tmp_path / "made", output)
    for number in range(2):
        arrive(tmp_path / "home", made, tmp_path / f"into {number}")
    assert Blobs(tmp_path / "home").get(digest(data)) == data
    wrong = sealed(tmp_path / "wrong", [("session.jsonl", LINE), ("blobs/" + "0" * 64, data)])
    assert "not what its name says" in refusal(tmp_path, wrong)
