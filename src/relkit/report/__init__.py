"""One self-contained page that tells a colleague what changed and why."""
