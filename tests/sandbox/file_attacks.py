"""Ways to change a file, what is known of it, and to see what is in it, for ``many_attacks``."""

import contextlib
import mmap
import os
import posix
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from posixpath import basename, dirname

from tests.sandbox.attack_calls import (
    HERE,
    LIBC,
    MARK,
    NEW_MOUNTS,
    NEW_USER,
    Place,
    Way,
    apart,
    call,
    checked,
)


def _write(path: str, flags: int = 0, folder: int | None = None) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o644, dir_fd=folder)
    try:
        os.write(file, MARK.encode())
    finally:
        os.close(file)


class WriteAttacks:
    """Ways to change the file at a path, or to put one there."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def by(self, path: Callable[[str], str]) -> Way:
        return lambda target: _write(path(target), os.O_TRUNC)

    def by_link(self, target: str) -> None:
        link = self.place.fresh()
        posix.symlink(target, link)
        _write(link, os.O_TRUNC)

    def by_folder_link(self, target: str) -> None:
        link = self.place.fresh()
        posix.symlink(dirname(target), link)
        _write(f"{link}/{basename(target)}", os.O_TRUNC)

    def by_hard_link(self, target: str) -> None:
        link = self.place.fresh()
        posix.link(target, link)
        _write(link, os.O_TRUNC)

    def by_folder(self, target: str, flags: int) -> None:
        folder = os.open(dirname(target), flags)
        _write(basename(target), os.O_TRUNC, folder)

    def by_chdir(self, target: str) -> object:
        def within() -> None:
            os.chdir(dirname(target))
            _write(basename(target), os.O_TRUNC)

        return apart(within)

    def filled(self, target: str, way: Callable[[int, int], object]) -> None:
        source = os.open(self.place.own(), os.O_RDONLY)
        file = os.open(target, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            way(source, file)
        finally:
            os.close(source)
            os.close(file)

    def piped(self, source: int, file: int) -> None:
        reading, end = os.pipe()
        os.write(end, os.read(source, 100))
        os.splice(reading, file, 100)

    def mapped(self, target: str) -> None:
        with Path(target).open("r+b") as file, mmap.mmap(file.fileno(), 1) as memory:
            memory[0:1] = b"X"

    def replaced(self, target: str) -> None:
        posix.replace(self.place.own(), target)

    def exchanged(self, target: str) -> None:
        own = os.fsencode(self.place.own())
        checked(LIBC.renameat2(HERE, own, HERE, os.fsencode(target), 2))

    def raced(self, target: str) -> None:
        """A link turns to and from the target while somebody writes through it."""
        link, own, is_over = self.place.fresh(), self.place.own(), threading.Event()
        posix.symlink(own, link)

        def turn() -> None:
            while not is_over.is_set():
                for each in (target, own):
                    with contextlib.suppress(OSError):
                        posix.symlink(each, f"{link}x")
                        posix.rename(f"{link}x", link)

        turning = threading.Thread(target=turn)
        turning.start()
        for _ in range(25):
            with contextlib.suppress(OSError):
                _write(link, os.O_TRUNC)
        is_over.set()
        turning.join()

    def later(self, target: str) -> object:
        def within() -> None:
            os.setsid()
            if os.fork() == 0:
                with contextlib.suppress(OSError):
                    _write(target, os.O_TRUNC)
                os._exit(0)
            os.wait()

        return apart(within)

    def in_namespace(self, target: str) -> object:
        def within() -> None:
            checked(LIBC.unshare(NEW_USER | NEW_MOUNTS))
            LIBC.mount(b"none", b"/", None, 0x1020, None)
            _write(target, os.O_TRUNC)

        return apart(within)

    def in_root(self, target: str) -> object:
        def within() -> None:
            os.chroot("/")
            _write(target, os.O_TRUNC)

        return apart(within)

    def joined(self, target: str, pid: object) -> object:
        def within() -> None:
            file = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY)
            checked(LIBC.setns(file, 0))
            _write(target, os.O_TRUNC)

        return apart(within)

    def mounted(self, target: str) -> object:
        def within() -> None:
            folder = dirname(target)
            LIBC.mount(None, os.fsencode(folder), None, 0x1020, None)
            LIBC.umount2(os.fsencode(target), 2)
            LIBC.umount2(os.fsencode(folder), 2)
            _write(target, os.O_TRUNC)

        return apart(within)

    def bound(self, target: str) -> object:
        def within() -> None:
            own = f"{self.place.fresh()}d"
            posix.mkdir(own)
            source = os.fsencode(dirname(target))
            checked(LIBC.mount(source, os.fsencode(own), None, 0x5000, None))
            LIBC.mount(None, os.fsencode(own), None, 0x1020, None)
            _write(f"{own}/{basename(target)}", os.O_TRUNC)

        return apart(within)

    def opened_tree(self, target: str) -> object:
        def within() -> None:
            tree = call("open_tree", HERE, dirname(target), 1)
            _write(basename(target), os.O_TRUNC, tree)

        return apart(within)

    def run(self, *words: str) -> Way:
        return lambda target: subprocess.run(
            [word.replace("@", target) for word in words],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def by_open_files(self, target: str) -> None:
        for number in range(3, 64):
            with contextlib.suppress(OSError):
                _write(os.path.relpath(target, "/"), os.O_TRUNC, number)
                _write(f"/proc/self/fd/{number}{target}", os.O_TRUNC)

    def ways(self) -> dict[str, Way]:
        work, pids = (
            self.place.work,
            (1, os.getppid(), self.place.where["engine"], self.place.where["victim"]),
        )
        return {
            "overwritten": lambda t: _write(t, os.O_TRUNC),
            "appended": lambda t: _write(t, os.O_APPEND),
            "opened to be read, and cut": lambda t: os.open(t, os.O_RDONLY | os.O_TRUNC),
            "opened for both": lambda t: os.write(
                os.open(t, os.O_RDWR | os.O_CREAT), MARK.encode()
            ),
            "cut": lambda t: os.truncate(t, 0),
            "cut longer": lambda t: os.truncate(t, 5_000),
            "written at a place": lambda t: os.pwrite(os.open(t, os.O_WRONLY), MARK.encode(), 1),
            "with its folders made": lambda t: (
                Path(t).parent.mkdir(parents=True),
                _write(t, os.O_TRUNC),
            ),
            "deleted": posix.unlink,
            "moved away": lambda t: posix.rename(t, self.place.fresh()),
            "moved aside": lambda t: posix.rename(t, f"{t}.moved"),
            "replaced": self.replaced,
            "exchanged": self.exchanged,
            "its folder moved": lambda t: posix.rename(dirname(t), f"{dirname(t)}.moved"),
            "linked over": lambda t: (
                posix.symlink(self.place.own(), f"{t}l"),
                posix.rename(f"{t}l", t),
            ),
            "a folder in its place": lambda t: (posix.unlink(t), posix.mkdir(t)),
            "a pipe beside it": lambda t: os.mkfifo(f"{t}.pipe"),
            "a folder beside it": lambda t: posix.mkdir(f"{t}.folder"),
            "a link beside it": lambda t: posix.symlink("x", f"{t}.link"),
            "a name beside it": lambda t: posix.link(self.place.own(), f"{t}.name"),
            "a socket beside it": lambda t: socket.socket(socket.AF_UNIX).bind(f"{t}.s"),
            "through a link": self.by_link,
            "through a link to its folder": self.by_folder_link,
            "through a second name": self.by_hard_link,
            "through the root of a process": self.by(lambda t: f"/proc/self/root{t}"),
            "through the root of a thread": self.by(lambda t: f"/proc/thread-self/root{t}"),
            "through the folder of a process": self.by(
                lambda t: f"/proc/self/cwd/{os.path.relpath(t, work)}"
            ),
            "upwards": self.by(lambda t: f"{work}/src/{os.path.relpath(t, f'{work}/src')}"),
            "with odd slashes": self.by(lambda t: "/" + t.replace("/", "//./")),
            **{
                f"through the root of process {index}": self.by(
                    lambda t, pid=pid: f"/proc/{pid}/root{t}"
                )
                for index, pid in enumerate(pids)
            },
            **{
                f"in the mounts of process {index}": lambda t, pid=pid: self.joined(t, pid)
                for index, pid in enumerate(pids)
            },
            "through an open folder": lambda t: self.by_folder(t, os.O_RDONLY | os.O_DIRECTORY),
            "through a bare folder": lambda t: self.by_folder(t, os.O_PATH | os.O_DIRECTORY),
            "through an opened tree": self.opened_tree,
            "from its folder": self.by_chdir,
            "through what is open": self.by_open_files,
            "sent": lambda t: self.filled(t, lambda a, b: os.sendfile(b, a, 0, 100)),
            "copied in the kernel": lambda t: self.filled(
                t, lambda a, b: os.copy_file_range(a, b, 100)
            ),
            "spliced": lambda t: self.filled(t, self.piped),
            "in several pieces": lambda t: self.filled(
                t, lambda a, b: os.writev(b, [MARK.encode()])
            ),
            "with room made": lambda t: self.filled(
                t, lambda a, b: os.posix_fallocate(b, 0, 9_000)
            ),
            "mapped": self.mapped,
            "by copying": lambda t: shutil.copyfile(self.place.own(), t),
            "by moving": lambda t: shutil.move(self.place.own(), t),
            "with its folder deleted": lambda t: shutil.rmtree(dirname(t)),
            "in a race": self.raced,
            "later": self.later,
            "in a namespace": self.in_namespace,
            "in another root": self.in_root,
            "after taking mounts away": self.mounted,
            "through a mount": self.bound,
            "by cp": self.run("cp", "/etc/hostname", "@"),
            "by a shell": self.run("sh", "-c", 'echo x > "$0"', "@"),
            "by sed": self.run("sed", "-i", "$a x", "@"),
            "by dd": self.run("dd", "if=/proc/version", "of=@", "conv=notrunc"),
            "by rm": self.run("rm", "@"),
            "by a new session": self.run("setsid", "-w", "sh", "-c", 'echo x > "$0"', "@"),
            "by a shell of a namespace": self.run(
                "unshare", "-Urm", "sh", "-c", 'echo x > "$0"', "@"
            ),
        }


def marking() -> dict[str, Way]:
    """Ways to change what is known of a file, of which Landlock says nothing."""

    def opened(change: Callable[[int], object]) -> Way:
        return lambda target: change(os.open(target, os.O_RDONLY))

    return {
        "its mode": lambda t: posix.chmod(t, 0o777),
        "its mode, opened": opened(lambda file: os.fchmod(file, 0o4777)),
        "its times": lambda t: os.utime(t, (1, 1)),
        "its times, opened": opened(lambda file: os.utime(file, (1, 1))),
        "its mode through the root": lambda t: posix.chmod(f"/proc/self/root{t}", 0o777),
        "the mode of its folder": lambda t: posix.chmod(dirname(t), 0o777),
        "the times of its folder": lambda t: os.utime(dirname(t), (1, 1)),
        "an attribute": lambda t: os.setxattr(t, "user.ouroboros", b"x"),
    }


class ReadAttacks:
    """Ways to see what is in a file; each gives what it saw."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def text(self, path: str) -> str:
        return Path(path).read_text("utf-8", "replace")[:4000]

    def by(self, path: Callable[[str], str]) -> Way:
        return lambda target: self.text(path(target))

    def linked(self, link: Callable[[str, str], object]) -> Way:
        def way(target: str) -> str:
            own = self.place.fresh()
            link(target, own)
            return self.text(own)

        return way

    def by_folder_link(self, target: str) -> str:
        link = self.place.fresh()
        posix.symlink(dirname(target), link)
        return self.text(f"{link}/{basename(target)}")

    def by_folder(self, target: str, flags: int) -> bytes:
        folder = os.open(dirname(target), flags)
        return os.read(os.open(basename(target), os.O_RDONLY, dir_fd=folder), 4000)

    def mapped(self, target: str) -> bytes:
        file = os.open(target, os.O_RDONLY)
        return mmap.mmap(file, 0, prot=mmap.PROT_READ)[:4000]

    def copied(self, way: Callable[[int, int], object]) -> Way:
        def read(target: str) -> str:
            own = self.place.own("")
            way(os.open(target, os.O_RDONLY), os.open(own, os.O_WRONLY))
            return self.text(own)

        return read

    def run(self, *words: str) -> Way:
        return lambda target: (
            subprocess.run(
                [word.replace("@", target) for word in words],
                check=False,
                capture_output=True,
                stdin=subprocess.DEVNULL,
            ).stdout
        )

    def within(self, before: Callable[[str], object]) -> Way:
        return lambda target: apart(lambda: (before(target), self.text(target)))

    def namespace(self, target: str) -> None:
        checked(LIBC.unshare(NEW_USER | NEW_MOUNTS))
        LIBC.umount2(os.fsencode(target), 2)
        LIBC.umount2(os.fsencode(dirname(target)), 2)

    def joined(self, pid: object) -> Callable[[str], object]:
        return lambda target: checked(LIBC.setns(os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY), 0))

    def uncovered(self, target: str) -> None:
        LIBC.umount2(os.fsencode(target), 2)
        LIBC.umount2(os.fsencode(dirname(target)), 2)

    def bound(self, target: str) -> object:
        def inside() -> str:
            own = f"{self.place.fresh()}d"
            posix.mkdir(own)
            source = os.fsencode(dirname(target))
            checked(LIBC.mount(source, os.fsencode(own), None, 0x1000, None))
            return self.text(f"{own}/{basename(target)}")

        return apart(inside)

    def tree(self, target: str) -> object:
        def inside() -> bytes:
            folder = call("open_tree", HERE, dirname(target), 1)
            return os.read(os.open(basename(target), os.O_RDONLY, dir_fd=folder), 4000)

        return apart(inside)

    def moved(self, target: str) -> str:
        own = self.place.fresh()
        posix.rename(dirname(target), own)
        return self.text(f"{own}/{basename(target)}")

    def walked(self, target: str) -> list[str]:
        top = dirname(dirname(target))
        return [self.text(str(path)) for path in Path(top).rglob("*") if path.is_file()]

    def by_open_files(self, target: str) -> list[bytes]:
        found: list[bytes] = []
        for number in range(3, 64):
            for name in (os.path.relpath(target, "/"), basename(target)):
                with contextlib.suppress(OSError):
                    found.append(os.read(os.open(name, os.O_RDONLY, dir_fd=number), 4000))
        return found

    def ways(self) -> dict[str, Way]:
        pids = (1, os.getppid(), self.place.where["engine"], self.place.where["victim"])
        work = self.place.work
        return {
            "opened": self.text,
            "opened for both": lambda t: os.read(os.open(t, os.O_RDWR), 4000),
            "opened as it is": lambda t: self.text(f"/proc/self/fd/{os.open(t, os.O_PATH)}"),
            "without a time": lambda t: os.read(os.open(t, os.O_RDONLY | os.O_NOATIME), 4000),
            "through a link": self.linked(posix.symlink),
            "through a second name": self.linked(posix.link),
            "moved": self.linked(posix.rename),
            "copied": self.linked(shutil.copyfile),
            "its folder copied": lambda t: (
                shutil.copytree(dirname(t), own := self.place.fresh()),
                self.text(f"{own}/{basename(t)}"),
            ),
            "its folder moved": self.moved,
            "through a link to its folder": self.by_folder_link,
            "through the root of a process": self.by(lambda t: f"/proc/self/root{t}"),
            "through the folder of a process": self.by(
                lambda t: f"/proc/self/cwd/{os.path.relpath(t, work)}"
            ),
            "upwards": self.by(lambda t: f"{work}/src/{os.path.relpath(t, f'{work}/src')}"),
            "with odd slashes": self.by(lambda t: "/" + t.replace("/", "//./")),
            **{
                f"through the root of process {index}": self.by(
                    lambda t, pid=pid: f"/proc/{pid}/root{t}"
                )
                for index, pid in enumerate(pids)
            },
            **{
                f"in the mounts of process {index}": self.within(self.joined(pid))
                for index, pid in enumerate(pids)
            },
            "through an open folder": lambda t: self.by_folder(t, os.O_RDONLY | os.O_DIRECTORY),
            "through a bare folder": lambda t: self.by_folder(t, os.O_PATH | os.O_DIRECTORY),
            "through an opened tree": self.tree,
            "through what is open": self.by_open_files,
            "mapped": self.mapped,
            "sent": self.copied(lambda a, b: os.sendfile(b, a, 0, 4000)),
            "copied in the kernel": self.copied(lambda a, b: os.copy_file_range(a, b, 4000)),
            "in another root": self.within(lambda t: os.chroot("/")),
            "in a namespace": self.within(self.namespace),
            "after taking mounts away": self.within(self.uncovered),
            "through a mount": self.bound,
            "walked": self.walked,
            "by cat": self.run("cat", "@"),
            "by tar": self.run("tar", "cf", "-", "@"),
            "by grep": self.run("grep", "", "@"),
            "by git": self.run("git", "diff", "--no-index", "/dev/null", "@"),
            "by base64 and back": self.run("sh", "-c", 'base64 "$0" | base64 -d', "@"),
            "by a shell of a namespace": self.run("unshare", "-Urm", "cat", "@"),
        }
