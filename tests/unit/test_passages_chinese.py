"""Tables of passages and chunks in Chinese: encodings, headings, and characters."""

from __future__ import annotations

from pathlib import Path

import relyon


def test_the_encoding_and_the_columns_of_tables_are_noted(tmp_path: Path) -> None:
    rows = "\n".join(f"q{n},退货政策,自签收之日起七天内可以申请退货,{n}" for n in range(1, 9))
    judged = tmp_path / "标注.csv"
    judged.write_bytes(f"查询编号,文档,引文,等级\n{rows}\n".encode("gb18030"))
    table = tmp_path / "分块.csv"
    table.write_text("分块编号,文档,起始位置,结束位置\na,退货政策,0,9\n", "utf-8")
    passages, chunks = relyon.read_passages(judged), relyon.read_chunks(table)
    assert [one.kind for one in passages.notes] == ["read-in-encoding", "columns-read-as"]
    assert "quote = 引文" in passages.notes[1].text("zh")
    (note,) = chunks.notes
    assert "chunk = 分块编号、document = 文档、start = 起始位置、end = 结束位置" in note.text("zh")
    named = {"chunk": "分块编号", "document": "文档", "start": "起始位置", "end": "结束位置"}
    assert relyon.read_chunks(table, columns=named).notes == ()


def test_traditional_characters_are_not_simplified_ones() -> None:
    passages = relyon.Passages.from_dict(
        {"q": [{"document": "d", "quote": "电子发票在订单完成后开具"}]}
    )
    found = passages.resolve({"d": "電子發票在訂單完成後開具"})
    assert [one.resolution for one in found.passages] == ["not found"]
    wide = passages.resolve({"d": "说明：电子发票\n在订单　完成后开具。"})
    assert [one.resolution for one in wide.passages] == ["normalized"]
