"""Pictures of charts: SVG as it was drawn, and PNG made of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from relyon.core.document.endings import endings_of, form_named_by
from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.io.atomic_files import open_replaced

__all__ = ["Picture"]

FORMS = ("svg", "png")

#: Fonts of a PNG: those of common systems, then any that is installed. Renderers of pictures do not
#: know `system-ui`.
PNG_FONT = (
    "Helvetica, Arial, Noto Sans CJK SC, PingFang SC, Microsoft YaHei, WenQuanYi Micro Hei,"
    " sans-serif"
)
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """A picture of charts, which a notebook shows as the value of a cell.

    Attributes:
        svg: An SVG file that follows the reader's light or dark colours.
        title: The title of the charts.

    Examples:
        >>> import relyon
        >>> results = relyon.evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, ["rr"])
        >>> picture = results.plot("queries")
        >>> picture
        Picture('RR of run, query by query')
        >>> picture.to_png()[:4]
        b'\\x89PNG'
    """

    svg: str
    title: str

    def to_png(self, *, scale: float = 2.0) -> bytes:
        """Returns the picture as a PNG file, in the colours of a light page.

        Args:
            scale: Pixels of the PNG per pixel of the SVG.

        Raises:
            DependencyError: If vl-convert-python is not installed.
        """
        converter = optional_package(
            "vl_convert",
            purpose=message("io.a-picture"),
            package="vl-convert-python",
            install="relyon[report]",
        )
        found: bytes = converter.svg_to_png(self._light(), scale=scale)
        return found

    def save(self, path: str | os.PathLike[str], *, scale: float = 2.0) -> None:
        """Writes the picture as SVG or PNG, by the ending of the file's name.

        Args:
            path: The file, which is replaced; it appears once it is complete.
            scale: Pixels of a PNG per pixel of the SVG.

        Raises:
            ParameterError: If the ending is neither `.svg` nor `.png`.
            InputError: If the file cannot be written.
            DependencyError: If vl-convert-python is not installed.
        """
        form = form_named_by(path, FORMS)
        if form is None:
            raise ParameterError(
                message("io.picture-is-svg-or-png", path=os.fspath(path)),
                hint=message(
                    "io.name-picture",
                    names=[f"`{Path(path).stem}{ending}`" for ending in endings_of(FORMS)],
                ),
            )
        data = self.svg.encode() if form == "svg" else self.to_png(scale=scale)
        with open_replaced(os.fspath(path)) as file:
            file.write(data)

    def _light(self) -> str:
        """Returns the SVG with the colours of a light page in place, and without a style sheet."""
        opening, style, body = STYLE.split(self.svg, maxsplit=1)
        light = dict(re.findall(r"--([a-z]+): ([^;]*);", style.partition("@media")[0]))
        svg = f'{opening}<rect width="100%" height="100%" fill="var(--paper)"/>{body}'
        svg = re.sub(r"var\(--([a-z]+)\)", lambda found: light[found.group(1)], svg)
        return svg.replace("<svg ", f'<svg font-family="{PNG_FONT}" ', 1)

    def _repr_svg_(self) -> str:
        # Without a style sheet, which would apply to the whole page of a notebook.
        return self._light()

    def __repr__(self) -> str:
        return f"Picture({self.title!r})"
