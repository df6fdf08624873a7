"""The folder for unpacked files: one per process, removed at its end, however it ends."""

from __future__ import annotations

__all__ = ["remove_scratch", "scratch_folder"]

_folder: list[str] = []


def scratch_folder() -> str:
    """Returns a folder for unpacked files.

    It is removed when Python ends. A program that exits without running exit handlers, like the
    command line, must call `remove_scratch` first.
    """
    if not _folder:
        import atexit
        import tempfile

        _folder.append(tempfile.mkdtemp(prefix="relyon-"))
        atexit.register(remove_scratch)
    return _folder[0]


def remove_scratch() -> None:
    """Removes the folder and its contents, if it exists."""
    import shutil

    while _folder:
        shutil.rmtree(_folder.pop(), ignore_errors=True)
