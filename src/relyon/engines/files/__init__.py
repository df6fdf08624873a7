"""An engine's file: its keys, templates, variants and secrets."""
