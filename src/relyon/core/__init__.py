"""Shared by all rooms: errors, notes, names, parameters, packages, languages, text."""
