"""Trained rankers as files that other programs score: ONNX, Treelite, and the engines' own."""
