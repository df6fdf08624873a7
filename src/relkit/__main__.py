"""``python -m relkit`` is the command line."""

from relkit.cli import main

if __name__ == "__main__":
    main(prog_name="relkit")
