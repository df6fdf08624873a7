"""Figures: results of larger computations that lessons show, each registered by its name."""

from relyon.learn.figures.figure import Figure, figure, figure_of, figure_value, figures

__all__ = ["Figure", "figure", "figure_of", "figure_value", "figures"]
