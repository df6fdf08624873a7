"""Migrations of the judging database, step by step."""
