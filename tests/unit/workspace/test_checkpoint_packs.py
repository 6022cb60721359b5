"""Packs are Git's own: it reads what we write, and we read what it makes of it."""

import os
import subprocess
from pathlib import Path

import pytest

from ouroboros.workspace.checkpoints.faults import CheckpointLost
from ouroboros.workspace.checkpoints.library import Library
from ouroboros.workspace.checkpoints.objects import Entry, entries_of, name_of, tree_of
from tests.cases import every
from tests.unit.workspace.kept_folder import Kept

pytestmark = pytest.mark.real


def filled(folder: Path) -> Kept:
    kept = Kept(folder)
    text = "".join(f"line {number}\n" for number in range(3_000))
    for number in range(6):
        (kept.root / "deep").mkdir(exist_ok=True)
        (kept.root / "deep" / "text").write_text(text.replace(f"line {number}\n", "changed\n"))
        (kept.root / f"noise{number}").write_bytes(os.urandom(300_000))
        kept.take()
    return kept


@pytest.mark.proves("K01", "CF07", "divergences-hidden-repository-of-files")
def test_git_finds_nothing_wrong(tmp_path: Path) -> None:
    kept = filled(tmp_path)
    kept.git("fsck", "--full", "--strict")
    for pack in (kept.shadow.folder / "objects" / "pack").glob("*.idx"):
        subprocess.run(["git", "verify-pack", pack], check=True)
    assert len(kept.git("for-each-ref").splitlines()) == 6


@pytest.mark.deep
def test_what_git_packs_tighter_is_still_read(tmp_path: Path) -> None:
    kept = filled(tmp_path)
    names = kept.shadow.library.names()
    before = {name: kept.shadow.library.get(name) for name in names}
    for words in (["-adfq", "--depth=20"], ["-adfq", "--depth=20", "--window=50"]):
        kept.git("repack", *words)
        library = Library(kept.shadow.folder)
        library.load()
        assert {name: library.get(name) for name in names} == before
    # Offsets by name instead of by place, as a bundle has them.
    kept.git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq")
    library = Library(kept.shadow.folder)
    library.load()
    assert {name: library.get(name) for name in names} == before


def test_a_flipped_bit_is_found_and_the_rest_is_kept(tmp_path: Path) -> None:
    kept = filled(tmp_path)
    library = kept.shadow.library
    names = library.names()
    pack = max(library._packs.values(), key=len).path
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 0x10
    library.close()
    pack.chmod(0o600)
    pack.write_bytes(data)
    library.load()
    broken: list[bytes] = []
    for name in names:
        try:
            library.get(name)
        except CheckpointLost:
            broken.append(name)
    assert len(broken) == 1
    assert library.mend() == 1
    assert library.names() == names - set(broken)
    (aside,) = pack.parent.glob("damaged-*.pack")
    assert aside.read_bytes() == data


@pytest.mark.deep
@every("cut", [0, 10, 40, 1200])
def test_a_pack_that_is_cut_off_is_lost_and_not_a_crash(tmp_path: Path, cut: int) -> None:
    kept = filled(tmp_path)
    kept.shadow.library.close()
    index = next((kept.shadow.folder / "objects" / "pack").glob("*.idx"))
    index.chmod(0o600)
    index.write_bytes(index.read_bytes()[:cut])
    with pytest.raises(CheckpointLost):
        Library(kept.shadow.folder).load()


def test_many_small_packs_become_one_and_what_nobody_names_goes(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    last = kept.take()
    for number in range(44):
        (kept.root / "a").write_text(f"{number}\n")
        last = kept.take()
    library = kept.shadow.library
    assert len(library._packs) == 45
    names = library.names()
    with kept.shadow.locked():
        kept.shadow.bound("ses_1", 500, 10_000_000)
    assert len(library._packs) == 1
    assert library.names() == names
    with kept.shadow.locked():
        assert kept.shadow.bound("ses_1", 5, 10_000_000) == 40
    assert len(kept.shadow.checkpoints("ses_1")) == 5
    assert len(library.names()) == 15  # a commit, a tree and a blob each
    kept.git("fsck", "--full", "--strict")
    assert kept.shadow.checkpoints("ses_1")[-1] == last.checkpoint
    assert not kept.take().is_new


def test_any_mode_survives_in_a_tree() -> None:
    blob = name_of("blob", b"")
    modes = [0o100644, 0o100755, 0o100600, 0o100444, 0o104755, 0o120000, 0o160000]
    modes += [0o040755, 0o040700, 0o040000, 0o042775, 0o041777]
    entries = {
        Entry(name=f"n{number}".encode(), mode=mode, sha=blob) for number, mode in enumerate(modes)
    }
    assert set(entries_of(tree_of(entries))) == entries
    assert b"40000 usual\0" in tree_of([Entry(name=b"usual", mode=0o040755, sha=blob)])
