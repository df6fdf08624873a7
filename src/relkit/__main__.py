"""``python -m relkit`` is the command line."""

from relkit.cli import run

if __name__ == "__main__":
    run()
