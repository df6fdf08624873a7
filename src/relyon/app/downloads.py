"""Exported files: streamed while they are written, and zipped if tables go with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import chain
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from fastapi.responses import Response, StreamingResponse

from relyon.core.notes import Note
from relyon.data.sheets import Sheet
from relyon.io.sheets import BYTE_ORDER_MARK, SheetFormat, left_out

__all__ = ["LEFT_OUT", "TABLES", "list_left_out", "send_file", "send_text"]

#: The header that lists what an exported file leaves out.
LEFT_OUT = "Relyon-Left-Out"
#: The header that names the tables needed to interpret an exported file.
TABLES = "Relyon-Tables"
#: Characters per chunk.
PART = 1 << 16


def list_left_out(notes: Iterable[Note]) -> str:
    """Returns the parts that a file omits as a dictionary of structured fields (RFC 8941).

    Examples:
        >>> from relyon.core.notes import Note
        >>> list_left_out([Note("not-exported-tier", 3), Note("not-exported-note", 1)])
        'tier=3, note=1'
    """
    return ", ".join(
        f"{note.kind.removeprefix('not-exported-').replace('-', '_')}={int(note.count)}"
        for note in notes
    )


def send_file(sheet: Sheet, chosen: SheetFormat, name: str) -> Response:
    """Returns a sheet as a file to download.

    If ids replace queries or documents, it is a ZIP file with the tables of their texts.

    Args:
        sheet: Graded items.
        chosen: The format.
        name: The file name without its ending.
    """
    tables = chosen.tables(sheet)
    parts = chosen.parts(sheet)
    ending = chosen.suffix
    if chosen.name == "csv":  # people open it in Excel; Quepid's CSV is for Quepid
        parts = chain([BYTE_ORDER_MARK], parts)
    found: Response
    headers = {LEFT_OUT: list_left_out(left_out(chosen, sheet, tables))}
    if tables:
        files = {f"{name}{ending}": "".join(parts)}
        files |= {f"{table}.tsv": text for table, text in tables.items()}
        found = Response(_packed(files), headers=headers)
        ending = ".zip"
    else:
        found = StreamingResponse(_sent(chosen, parts), headers=headers)
    found.headers["Content-Disposition"] = f'attachment; filename="{name}{ending}"'
    found.headers["Content-Type"] = "application/octet-stream"
    return found


def send_text(sheet: Sheet, chosen: SheetFormat, table: str | None) -> Response:
    """Returns a sheet for programs: as text, or one of the tables that go with it.

    Args:
        sheet: Graded items.
        chosen: The format.
        table: The name of a table; None for the file itself.
    """
    if table is not None:
        text = chosen.tables(sheet, made=[table]).get(table, "")
        return Response(text, media_type="text/tab-separated-values")
    tables = chosen.tables(sheet)
    headers = {
        LEFT_OUT: list_left_out(left_out(chosen, sheet, tables)),
        TABLES: ", ".join(tables),
    }
    return StreamingResponse(
        _sent(chosen, chosen.parts(sheet)), media_type="text/plain", headers=headers
    )


def _sent(chosen: SheetFormat, parts: Iterator[str]) -> Iterator[bytes]:
    """Returns bytes in chunks; an error in writing is reported before the first one is sent."""
    return _joined(parts if chosen.steady else iter(list(parts)))


def _joined(parts: Iterator[str]) -> Iterator[bytes]:
    waiting: list[str] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size >= PART:
            yield "".join(waiting).encode()
            waiting, size = [], 0
    yield "".join(waiting).encode()


def _packed(files: Mapping[str, str]) -> bytes:
    """Returns a ZIP file; the same files give the same bytes."""
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(ZipInfo(name), text.encode(), ZIP_DEFLATED)
    return stream.getvalue()
