"""Large payloads are kept under the hash of their content."""

from hashlib import sha256
from pathlib import Path

import pytest

from ouroboros.core.errors import StoreFailed
from ouroboros.store.blobs import BlobLost, Blobs
from tests.cases import every


def test_what_is_put_is_got_under_its_hash_in_a_private_file(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "home")
    for content in (b"", b"a", bytes(range(256)) * 1000):
        name = blobs.put(content)
        assert name == sha256(content).hexdigest()
        assert blobs.get(name) == content
        path = tmp_path / "home" / "blobs" / name[:2] / name
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert [each.name for each in path.parent.iterdir()] == [name]


def test_the_same_content_is_kept_once_and_a_cut_file_is_written_anew(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"content")
    path = tmp_path / "blobs" / name[:2] / name
    inode = path.stat().st_ino
    blobs.put(b"content")
    assert path.stat().st_ino == inode
    path.write_bytes(b"cont")
    blobs.put(b"content")
    assert blobs.get(name) == b"content"


def test_a_damaged_or_missing_blob_is_never_handed_out(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"content")
    (tmp_path / "blobs" / name[:2] / name).write_bytes(b"CONTENT")
    with pytest.raises(BlobLost, match="damaged"):
        blobs.get(name)
    blobs.discard(name)
    blobs.discard(name)
    with pytest.raises(BlobLost, match="missing"):
        blobs.get(name)


@every("name", ["", "../../secret", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_a_name_that_is_no_hash_reaches_no_file(tmp_path: Path, name: str) -> None:
    for act in (Blobs(tmp_path).get, Blobs(tmp_path).discard):
        with pytest.raises(StoreFailed, match="does not name a blob"):
            act(name)
