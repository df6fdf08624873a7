"""The folder of the MCP server: no name leads out of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import relyon
from relyon.compat.mcp import folder as module
from relyon.compat.mcp.folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with one file, and a secret beside it."""
    inside = tmp_path / "inside"
    (inside / "runs").mkdir(parents=True)
    (inside / "runs" / "a.run").write_text("q Q0 d 1 1 x\n", "utf-8")
    (tmp_path / "secret").write_text("secret", "utf-8")
    (tmp_path / "inside-too").mkdir()
    (tmp_path / "inside-too" / "b.run").write_text("secret", "utf-8")
    return Folder.of(str(inside))


NAMES = [
    "",
    "-",
    "..",
    "../secret",
    "runs/../../secret",
    "runs\\..\\..\\secret",
    "/etc/passwd",
    "~/secret",
    "~root/x",
    "C:\\secret",
    "C:secret",
    "file:///etc/passwd",
    "http://localhost/run",
    "postgresql://user@host/name#June",
    "judging.db#June",
    "runs/*.run",
    "runs/a.run\0x",
    "runs/a\n.run",
    "x" * 2000,
    "../inside-too/b.run",
    "./-",
    "runs/-",
    ".env",
    "runs/.git/config",
    "runs/\ud800.run",
]


@pytest.mark.parametrize("name", NAMES, ids=[str(n) for n in range(len(NAMES))])
def test_names_that_could_lead_out_are_refused(folder: Folder, name: str, tmp_path: Path) -> None:
    with pytest.raises(relyon.ParameterError, match="is not a name within the folder"):
        folder.copy(name, str(tmp_path / "to"))
    with pytest.raises(relyon.ParameterError):
        folder.write(name, b"x")


def test_a_file_is_copied_under_its_name(folder: Folder, tmp_path: Path) -> None:
    assert folder.plain("./runs//a.run") == "runs/a.run"
    assert folder.copy("./runs//a.run", str(tmp_path / "to")) == 13
    assert (tmp_path / "to" / "runs" / "a.run").read_text("utf-8") == "q Q0 d 1 1 x\n"
    assert list(folder.files()) == [("runs/a.run", 13)]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
class TestLinks:
    """Links, pipes and devices."""

    def test_links_within_the_folder_are_followed(self, folder: Folder, tmp_path: Path) -> None:
        (Path(folder.root) / "b.run").symlink_to("runs/a.run")
        folder.copy("b.run", str(tmp_path / "to"))
        assert (tmp_path / "to" / "b.run").read_text("utf-8").startswith("q Q0")

    @pytest.mark.parametrize("target", ["../secret", "/etc/passwd", "../inside-too/b.run"])
    def test_links_out_of_it_are_refused(self, folder: Folder, target: str, tmp_path: Path) -> None:
        (Path(folder.root) / "b.run").symlink_to(target)
        with pytest.raises(relyon.ParameterError, match="leads out of the folder"):
            folder.copy("b.run", str(tmp_path / "to"))

    def test_a_linked_folder_is_refused(self, folder: Folder, tmp_path: Path) -> None:
        (Path(folder.root) / "more").symlink_to("..")
        with pytest.raises(relyon.ParameterError, match="leads out of the folder"):
            folder.copy("more/secret", str(tmp_path / "to"))
        assert list(folder.files()) == [("runs/a.run", 13)]

    def test_a_link_made_after_the_check_is_not_followed(
        self, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Somebody swaps the file for a link between the check and the opening."""
        checked = Folder.real

        def swapped(self: Folder, name: str) -> list[str]:
            found = checked(self, name)
            (Path(folder.root) / "runs" / "a.run").unlink()
            (Path(folder.root) / "runs" / "a.run").symlink_to(tmp_path / "secret")
            return found

        monkeypatch.setattr(module.Folder, "real", swapped)
        with pytest.raises(relyon.InputError):
            folder.copy("runs/a.run", str(tmp_path / "to"))

    def test_a_folder_swapped_after_the_check_is_not_followed(
        self, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        checked = Folder.real
        (tmp_path / "inside-too" / "a.run").write_text("secret", "utf-8")

        def swapped(self: Folder, name: str) -> list[str]:
            found = checked(self, name)
            (Path(folder.root) / "runs").rename(Path(folder.root) / "moved")
            (Path(folder.root) / "runs").symlink_to(tmp_path / "inside-too")
            return found

        monkeypatch.setattr(module.Folder, "real", swapped)
        with pytest.raises(relyon.InputError):
            folder.copy("runs/a.run", str(tmp_path / "to"))

    def test_pipes_and_devices_are_refused_at_once(self, folder: Folder, tmp_path: Path) -> None:
        os.mkfifo(os.path.join(folder.root, "pipe"))
        with pytest.raises(relyon.InputError, match="not a regular file"):
            folder.copy("pipe", str(tmp_path / "to"))

    def test_writing_follows_no_link(self, folder: Folder, tmp_path: Path) -> None:
        (Path(folder.root) / "out.run").symlink_to(tmp_path / "new")
        with pytest.raises(relyon.ParameterError):
            folder.write("out.run", b"x")
        assert not (tmp_path / "new").exists()


def test_folders_and_missing_files_are_refused(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(relyon.InputError):
        folder.copy("runs", str(tmp_path / "to"))
    with pytest.raises(relyon.InputError, match="there is no such file"):
        folder.copy("runs/b.run", str(tmp_path / "to"))
    with pytest.raises(relyon.InputError, match="is not a folder"):
        Folder.of(str(tmp_path / "secret"))


def test_large_files_are_refused(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(relyon.InputError, match="is larger than"):
        folder.copy("runs/a.run", str(tmp_path / "to"), 10)


def test_existing_files_are_kept(folder: Folder) -> None:
    with pytest.raises(relyon.InputError, match="cannot be written"):
        folder.write("runs/a.run", b"x")
    folder.write("runs/b.run", b"x")
    assert dict(folder.files()) == {"runs/a.run": 13, "runs/b.run": 1}


def test_only_names_that_can_be_given_are_listed(folder: Folder) -> None:
    """A name that is not UTF-8 cannot be sent, and others are refused."""
    before = list(folder.files())
    (Path(folder.root) / "-").write_text("x", "utf-8")
    (Path(folder.root) / ".env").write_text("x", "utf-8")
    if os.name == "posix" and sys.platform != "darwin":
        os.close(os.open(os.fsencode(folder.root) + b"/bad\xff.run", os.O_CREAT | os.O_WRONLY))
        (Path(folder.root) / "a:b.run").write_text("x", "utf-8")
    assert list(folder.files()) == before == [("runs/a.run", 13)]


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="paths of a limited length")
def test_very_deep_folders_are_listed(folder: Folder) -> None:
    """Deeper than Python's recursion goes; the system refuses paths beyond its own limit."""
    inner = os.open(folder.root, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("a", dir_fd=inner)
        outer, inner = inner, os.open("a", os.O_RDONLY, dir_fd=inner)
        os.close(outer)
    os.close(inner)
    try:
        assert [name for name, _ in folder.files()] == ["runs/a.run"]
    finally:
        subprocess.run(["rm", "-rf", os.path.join(folder.root, "a")], check=True)
