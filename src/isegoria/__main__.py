"""`python -m isegoria` is the command `isegoria`."""

from isegoria.cli import main

if __name__ == "__main__":
    main()
