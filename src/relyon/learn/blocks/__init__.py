"""Blocks of a lesson, one kind in one file: how each is read, and what all languages share."""

from relyon.learn.blocks.attempt import Try
from relyon.learn.blocks.block import Block
from relyon.learn.blocks.card import Card
from relyon.learn.blocks.choice import Choice
from relyon.learn.blocks.derive import Derive
from relyon.learn.blocks.dial import Dial
from relyon.learn.blocks.fields import Fields
from relyon.learn.blocks.kinds import BLOCKS, read_block
from relyon.learn.blocks.picture import Picture
from relyon.learn.blocks.play import Goal, Play, PlayDocument
from relyon.learn.blocks.predict import Predict, Slider
from relyon.learn.blocks.quiz import LIST, Quiz, Wrong
from relyon.learn.blocks.recap import Recap

__all__ = [
    "BLOCKS", "LIST", "Block", "Card", "Choice", "Derive", "Dial", "Fields", "Goal", "Picture",
    "Play", "PlayDocument", "Predict", "Quiz", "Recap", "Slider", "Try", "Wrong", "read_block",
]  # fmt: skip
