"""The languages that texts for people are written in.

A further language is its code here, and one folder of texts beside this file.
"""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["LANGUAGES", "Language"]

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
