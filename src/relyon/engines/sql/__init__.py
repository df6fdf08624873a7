"""Statements and full text: named parameters, rows, and an index of documents."""
