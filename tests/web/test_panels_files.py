"""The panels of files and of what was kept: read only, and no way out."""

import os
from pathlib import Path

import pytest

from ouroboros.llm.turns import Turn
from tests.web.panel_stage import Panels, panels

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
DONE = Turn(text="All done.")


async def shown(p: Panels, session: str, path: str = "") -> dict[str, str]:
    entries = (await p.get(f"/sessions/{session}/files", path=path))["folder"]["entries"]
    return {entry["name"]: entry["kind"] for entry in entries}


@pytest.mark.deep
@pytest.mark.proves("V19")
async def test_folders_come_first_and_large_ones_by_pages(tmp_path: Path):
    async with panels(tmp_path) as p:
        session = await p.open()
        (p.cwd / "zz").mkdir()
        for number in range(700):
            (p.cwd / f"f{number:03}").write_text("x" * number)
        first = await p.get(f"/sessions/{session}/files")
        assert first["folder"]["total"] == 701
        assert [e["name"] for e in first["folder"]["entries"]][:3] == ["zz", "f000", "f001"]
        assert first["folder"]["entries"][6]["size"] == 5
        seen = [entry["name"] for entry in first["folder"]["entries"]]
        while len(seen) < 701:
            page = await p.get(f"/sessions/{session}/files", start=len(seen), limit=250)
            seen += [entry["name"] for entry in page["folder"]["entries"]]
        assert len(set(seen)) == 701
        assert first["roots"] == [
            {"number": 0, "path": str(p.cwd), "kind": "own", "is_there": True}
        ]


@pytest.mark.deep
@pytest.mark.proves("V19")
async def test_no_name_leads_out_of_the_folder(tmp_path: Path):
    async with panels(tmp_path) as p:
        session = await p.open()
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "secret").write_text("secret")
        (p.cwd / "in").mkdir()
        (p.cwd / "in" / "up").symlink_to(outside)
        (p.cwd / "file").symlink_to(outside / "secret")
        (p.cwd / ".git").mkdir()
        (p.cwd / ".git" / "config").write_text("[core]")
        os.mkfifo(p.cwd / "pipe")
        assert await shown(p, session) == {"in": "folder", "file": "link", "pipe": "other"}
        assert await shown(p, session, "in") == {"up": "link"}
        for path in (
            "..",
            "../outside",
            "in/../../outside",
            "/etc",
            str(outside),
            "in/up",
            "in/up/secret",
            "./../outside",
            "in//..//..",
            ".git",
            ".GIT/config",
            "\0",
            "in\0/..",
        ):
            await p.refused(404, "GET", f"/sessions/{session}/files", path=path)
        for path in (
            "file",
            "in/up/secret",
            "../outside/secret",
            "/etc/passwd",
            "pipe",
            "in",
            "",
            ".git/config",
            "nowhere",
            "x" * 5_000,
        ):
            answer = await p.ask("GET", f"/sessions/{session}/file", path=path)
            assert answer.status_code == 404, (path, answer.text)
            assert "secret" not in answer.text.replace(path, "")
        await p.refused(404, "GET", f"/sessions/{session}/files", root=1)
        await p.refused(400, "GET", f"/sessions/{session}/files", root="-1")


@pytest.mark.deep
@pytest.mark.proves("V19")
async def test_what_is_ignored_is_marked_so(tmp_path: Path):
    async with panels(tmp_path) as p:
        session = await p.open()
        (p.cwd / ".gitignore").write_text("*.log\n/out/\n")
        (p.cwd / "sub").mkdir()
        (p.cwd / "sub" / ".gitignore").write_text("!kept.log\nown\n")
        (p.cwd / "out").mkdir()
        for name in ("a.log", "sub/b.log", "sub/kept.log", "sub/own", "out/x", "sub/fine"):
            (p.cwd / name).write_text("x")

        async def ignored(path: str) -> set[str]:
            entries = (await p.get(f"/sessions/{session}/files", path=path))["folder"]["entries"]
            return {entry["name"] for entry in entries if entry["is_ignored"]}

        assert await ignored("") == {"a.log", "out"}
        assert await ignored("sub") == {"b.log", "own"}
        assert await ignored("out") == {"x"}


@pytest.mark.deep
@pytest.mark.proves("V19")
async def test_files_are_shown_as_what_they_are(tmp_path: Path):
    async with panels(tmp_path) as p:
        session = await p.open()
        (p.cwd / "empty").touch()
        (p.cwd / "old").write_bytes("größer".encode("latin-1"))
        (p.cwd / "bin").write_bytes(b"a\0b")
        (p.cwd / "pic").write_bytes(PNG)
        (p.cwd / "long").write_text("é" * 300_000)
        (p.cwd / "sparse").touch()
        os.truncate(p.cwd / "sparse", 1 << 40)

        async def file(name: str) -> dict[str, object]:
            return await p.get(f"/sessions/{session}/file", path=name)

        assert (await file("empty"))["content"] == "empty"
        old = await file("old")
        assert (old["text"], old["encoding"]) == ("größer", "cp1252") or old["text"] == "größer"
        assert (await file("bin"))["content"] == "binary"
        long = await file("long")
        assert (long["is_cut"], long["size"]) == (True, 600_000)
        assert set(str(long["text"])) == {"é"}
        assert (await file("sparse"))["content"] == "binary"
        assert (await file("pic"))["mime"] == "image/png"
        raw = await p.ask("GET", f"/sessions/{session}/file", path="pic", raw=1)
        assert (raw.content, raw.headers["content-type"]) == (PNG, "image/png")
        assert raw.headers["x-content-type-options"] == "nosniff"
        await p.refused(404, "GET", f"/sessions/{session}/file", path="bin", raw=1)


@pytest.mark.deep
async def test_a_name_that_is_no_text_is_shown_and_cannot_be_opened(tmp_path: Path):
    async with panels(tmp_path) as p:
        session = await p.open()
        (p.cwd / os.fsdecode(b"bad\xff")).write_text("x")
        (entry,) = (await p.get(f"/sessions/{session}/files"))["folder"]["entries"]
        assert (entry["name"], entry["is_odd"]) == ("bad\ufffd", True)
        await p.refused(404, "GET", f"/sessions/{session}/file", path=entry["path"])


def keep(p: Panels, session: str, **files: bytes) -> Path:
    folder = p.home / "artifacts" / session
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name.replace("__", ".")).write_bytes(data)
    return folder


HTML = b"<script>fetch('/api/v1/state')</script><h1>Hi</h1>"


@pytest.mark.deep
@pytest.mark.proves("C22")
async def test_what_was_kept_is_listed_and_given_out_safely(tmp_path: Path):
    async with panels(tmp_path, [DONE]) as p:
        session = await p.open()
        folder = keep(
            p,
            session,
            a__png=PNG,
            page__html=HTML,
            report__pdf=b"%PDF-1.7",
            fake__png=HTML,
            pic__svg=b"<svg/>",
        )
        (folder / "link.png").symlink_to("/etc/passwd")
        (folder / ".hidden.part").write_bytes(b"x")
        (folder / 'q"uo;te\u202e.txt').write_bytes(b"quoted")
        found = (await p.get(f"/sessions/{session}/artifacts"))["artifacts"]
        assert sorted(each["name"] for each in found if each["is_picture"]) == ["a.png"]
        assert {each["name"] for each in found} >= {"a.png", "page.html", "report.pdf", "fake.png"}
        assert not {each["name"] for each in found} & {"link.png", ".hidden.part"}

        async def one(name: str, **query: int) -> tuple[str, str, bytes]:
            answer = await p.ask("GET", f"/sessions/{session}/artifacts/{name}", **query)
            assert answer.status_code == 200, answer.text
            policy = answer.headers["content-security-policy"]
            assert "sandbox" in policy
            assert "allow-scripts" not in policy
            assert "default-src 'none'" in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            how = answer.headers["content-disposition"].partition(";")[0]
            return answer.headers["content-type"], how, answer.content

        plain = "application/octet-stream"
        assert await one("a.png") == ("image/png", "inline", PNG)
        assert await one("fake.png") == (plain, "attachment", HTML)
        assert await one("page.html") == (plain, "attachment", HTML)
        assert (await one("page.html", show=1))[:2] == ("text/html; charset=utf-8", "inline")
        assert await one("report.pdf", show=1) == (plain, "attachment", b"%PDF-1.7")
        assert (await one("pic.svg", show=1))[0] == "image/svg+xml"
        for name in ("link.png", ".hidden.part", "nothing", "..%2f..%2fouroboros.db", "%2e%2e"):
            answer = await p.ask("GET", f"/sessions/{session}/artifacts/{name}")
            assert answer.status_code == 404, name


@pytest.mark.proves("C22")
async def test_the_name_of_a_download_breaks_no_header(tmp_path: Path):
    async with panels(tmp_path, [DONE]) as p:
        session = await p.open()
        folder = keep(p, session)
        name = 'q"uo;te\\ é.txt'
        (folder / name).write_bytes(b"quoted")
        answer = await p.ask("GET", f"/sessions/{session}/artifacts/q%22uo%3Bte%5C%20%C3%A9.txt")
        assert answer.content == b"quoted"
        assert answer.headers["content-disposition"] == (
            "attachment; filename=\"q_uo;te_ _.txt\"; filename*=UTF-8''q%22uo%3Bte%5C%20%C3%A9.txt"
        )


@pytest.mark.deep
@pytest.mark.proves("C22")
async def test_a_file_of_any_length_comes_whole(tmp_path: Path):
    async with panels(tmp_path, [DONE]) as p:
        session = await p.open()
        folder = keep(p, session)
        for size in (0, 65_536, 1_000_003):
            data = os.urandom(size)
            (folder / "some.bin").write_bytes(data)
            answer = await p.ask("GET", f"/sessions/{session}/artifacts/some.bin")
            assert answer.content == data, size
