"""Run the command-line interface as `python -m isegoria`."""

from isegoria.cli import main

if __name__ == "__main__":
    main()
