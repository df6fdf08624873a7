"""The folder for what must be unpacked: one per process, removed when it ends, however it ends."""

from __future__ import annotations

__all__ = ["remove_scratch", "scratch_folder"]

_folder: list[str] = []


def scratch_folder() -> str:
    """Returns a folder for what must be unpacked.

    It is removed when Python ends. A program that leaves without exit handlers, as the command line
    does, calls `remove_scratch` before.
    """
    if not _folder:
        import atexit
        import tempfile

        _folder.append(tempfile.mkdtemp(prefix="relkit-"))
        atexit.register(remove_scratch)
    return _folder[0]


def remove_scratch() -> None:
    """Removes the folder with all that is in it; nothing happens where there is none."""
    import shutil

    while _folder:
        shutil.rmtree(_folder.pop(), ignore_errors=True)
