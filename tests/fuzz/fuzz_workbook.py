"""Damaged and hostile Excel workbooks: each is read as a table, or refused with the reason.

    python -m tests.fuzz.fuzz_workbook --count 2000 --seed 1

The archive is changed, or the text of one of its parts; cells are put in far places, and parts are
made to unpack to much more than they are. Whatever it is, reading it ends in rows or in an
`InputError`, within seconds, and takes memory in proportion to the limit.
"""

from __future__ import annotations

import argparse
import csv
import io
import signal
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from random import Random
from time import perf_counter

import openpyxl
from openpyxl.worksheet.worksheet import Worksheet

from relyon.core.errors import InputError
from relyon.io.byte_source import Source
from relyon.io.workbook_writer import Column, Table, workbook_bytes

#: Bytes that a reader was told it may take, and what it may take in all: the library, Python's own
#: objects for cells, and the sheet as CSV.
LIMIT = 2**20
MOST = 2**28
#: Seconds for one workbook.
SECONDS = 10
PIECES = [
    b"<", b">", b"/>", b"</c>", b"</row>", b"<c", b'r="', b'r="XFD1048576"', b'r="A0"',
    b'r="ZZZZ9"',
    b'r="A4294967296"', b'r="-1"', b't="s"', b't="e"', b't="b"', b't="d"', b't="str"',
    b't="inlineStr"', b"<v>99999999999</v>", b"<v>-1</v>", b"<v>1e400</v>", b"<v>NaN</v>", b"<v/>",
    b"<f>A1</f>", b"<is><t>x</t></is>", b'<mergeCell ref="A1:XFD1048576"/>', b"&amp;", b"&x;",
    b"&#0;", b"&#xD800;", b'<!DOCTYPE x [<!ENTITY a "b">]>', b"<![CDATA[", b"]]>", b"<!--", b"\0",
    b"\xff", b"\xef\xbb\xbf", b'<?xml version="1.0" encoding="UTF-16"?>',
    b'<dimension ref="A1:XFD1048576"/>', b'spans="1:16384"', b'rId1', b"../../", b"xl/", b"x:",
    b'<row r="1048577">', b'<c r="A1"><v>1</v></c>' * 50, b"\xe4\xb8\xad", b'count="4294967295"',
]  # fmt: skip


class DisagreementError(AssertionError):
    """A workbook was read as no table, or took too much."""


def made_by_openpyxl() -> bytes:
    """Returns a workbook with every kind of cell, as openpyxl writes it."""
    book = openpyxl.Workbook()
    sheet = book.active
    if not isinstance(sheet, Worksheet):
        raise TypeError(sheet)
    sheet.append(["query", "document", "grade"])
    for row in [["手机壳", "d1", 3], ["shoes & <socks>", "007", 0.5], ["q", True, None]]:
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def made_by_relyon() -> bytes:
    """Returns a workbook as relyon writes it, with two sheets."""
    names = [Column("query"), Column("document", choices=["a", "b"]), Column("grade")]
    rows = [("手机壳", "d1", 3.0), ("two\nlines", "007", 0.5), ("q", "x", None)]
    return workbook_bytes([Table("Judgments", names, rows), Table("Other", names, [])])


VALID = (made_by_openpyxl(), made_by_relyon())


def parts_of(data: bytes) -> dict[str, bytes]:
    """Returns the parts of an archive by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: dict[str, bytes]) -> bytes:
    """Returns an archive of parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return file.getvalue()


def changed_bytes(random: Random, data: bytes) -> bytes:
    """Changes bytes of the archive itself."""
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(data))
        match random.randrange(4):
            case 0:
                data = data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]
            case 1:
                data = data[:place]
            case 2:
                data = data[:place] + random.randbytes(random.randint(1, 40)) + data[place:]
            case _:
                data = data[:place] + data[place + random.randint(1, 400) :]
        data = data or b"P"
    return data


def changed_part(random: Random, data: bytes) -> bytes:
    """Changes the text of a part, which the archive then has in good order."""
    parts = parts_of(data)
    for _ in range(random.randint(1, 3)):
        name = random.choice([*parts, *[one for one in parts if "sheet" in one]])
        text = parts[name]
        place = random.randrange(len(text) + 1)
        match random.randrange(6):
            case 0:
                parts[name] = text[:place]
            case 1:
                end = place + random.randint(1, 60)
                parts[name] = text[:place] + text[end:]
            case 2:
                parts[name] = text.replace(b'"', b"'")
            case 3 if len(parts) > 1:
                del parts[name]
            case _:
                parts[name] = text[:place] + random.choice(PIECES) + text[place:]
    return packed(parts)


def far_cells(random: Random, data: bytes) -> bytes:
    """Puts cells far from the others, or many of them without a place."""
    parts = parts_of(data)
    name = next(one for one in parts if one.startswith("xl/worksheets/"))
    row = random.choice([2, 9**5, 1048576, 2**31, 2**32])
    column = random.choice(["A", "AA", "XFD"])
    cells = random.choice(
        [
            f'<row r="{row}"><c r="{column}{row}"><v>1</v></c></row>',
            f'<row><c r="{column}{row}" t="s"><v>0</v></c></row>',
            f'<row r="{row}">' + "<c><v>1</v></c>" * random.choice([1, 2000, 20_000]) + "</row>",
            "<row><c><v>1</v></c></row>" * random.choice([1, 2000, 50_000]),
            "<x:row r='9'><x:c r='B9'><x:v>1</x:v></x:c></x:row>",
        ]
    )
    parts[name] = parts[name].replace(b"</sheetData>", cells.encode() + b"</sheetData>")
    return packed(parts)


def bomb(random: Random, data: bytes) -> bytes:
    """Makes a part unpack to much more than the limit, or a text be in many cells."""
    parts = parts_of(data)
    size = random.choice([LIMIT // 2, LIMIT, 4 * LIMIT])
    name = random.choice([*parts])
    filler = random.choice([b" ", b"<!-- -->", b"<c/>", b"<si><t>x</t></si>", b"x"])
    place = parts[name].rfind(b"</")
    long = filler * (size // len(filler))
    parts[name] = parts[name][:place] + long + parts[name][place:]
    if random.randrange(3) == 0:
        sheet = next(one for one in parts if one.startswith("xl/worksheets/"))
        cells = b'<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>' * 2000
        parts[sheet] = parts[sheet].replace(b"</sheetData>", cells + b"</sheetData>")
        if strings := parts.get("xl/sharedStrings.xml"):
            text = b"<t>" + b"x" * (LIMIT // 8)
            parts["xl/sharedStrings.xml"] = strings.replace(b"<t>", text, 1)
    return packed(parts)


CHANGES: tuple[Callable[[Random, bytes], bytes], ...] = (
    changed_bytes,
    changed_part,
    changed_part,
    far_cells,
    bomb,
)


def make_input(seed: int) -> bytes:
    """Returns a workbook that was valid, changed in one or two ways."""
    random = Random(seed)
    data = random.choice(VALID)
    with suppress(Exception):  # it is no archive any more
        for _ in range(random.randint(1, 2)):
            data = random.choice(CHANGES)(random, data)
    return data


def check(data: bytes) -> str:
    """Reads a workbook.

    Returns:
        "accepted" or "refused".

    Raises:
        DisagreementError: If it is read as something else than a table.
    """
    try:
        source = Source(io.BytesIO(data), name="book.xlsx", limit=LIMIT)
        data = source.read_all()
    except InputError as error:
        if "Traceback" in str(error) or not str(error).startswith("book.xlsx"):
            raise DisagreementError(str(error)) from error
        return "refused"
    if not source.workbook:
        return "accepted"  # what is no archive any more is text, or was refused
    text = data.decode("utf-8", "surrogatepass")
    widths = {len(row) for row in csv.reader(io.StringIO(text)) if row}
    if len(widths) != 1:
        raise DisagreementError(f"rows of several widths: {widths}")
    return "accepted"


def taken() -> int:
    """Returns the most memory that this process has taken, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _too_long(number: int, frame: object) -> None:
    raise DisagreementError(f"reading took more than {SECONDS} s")


def fuzz(count: int, seed: int) -> dict[str, int]:
    """Checks workbooks.

    Raises:
        DisagreementError: With the number of the input.
    """
    signal.signal(signal.SIGALRM, _too_long)
    check(VALID[0])  # loads what reading needs
    before = taken()
    counts = {"accepted": 0, "refused": 0}
    for number in range(seed, seed + count):
        data = make_input(number)
        signal.alarm(SECONDS)
        try:
            counts[check(data)] += 1
        except BaseException as error:
            error.add_note(f"input {number}")
            raise
        finally:
            signal.alarm(0)
    if taken() - before > MOST:
        raise DisagreementError(f"reading took {(taken() - before) >> 20} MiB")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    csv.field_size_limit(sys.maxsize)
    start, before = perf_counter(), taken()
    counts = fuzz(arguments.count, arguments.seed)
    print(
        f"{arguments.count} inputs in {perf_counter() - start:.1f} s, no disagreement: "
        f"{counts['accepted']} workbooks accepted, {counts['refused']} refused, "
        f"{(taken() - before) >> 20} MiB more memory"
    )


if __name__ == "__main__":
    main()
