"""Kinds of engines: one class in one file each."""
