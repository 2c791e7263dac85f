"""`python -m jarvisbot`."""

from jarvisbot.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
