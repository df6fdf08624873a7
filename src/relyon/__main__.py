"""``python -m relyon`` is the command line."""

from relyon.cli import run

if __name__ == "__main__":
    run()
