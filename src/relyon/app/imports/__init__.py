"""Imports: files wait for their lead, who sees what they would change before anything is stored."""
