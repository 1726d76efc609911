# Every target does its own set-up: a virtual environment in .venv, built from this folder.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
SOURCES := pyproject.toml setup.py constraints.txt $(shell find src -name '*.pyx' -o -name '*.pxd')
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: reproduce test stress bench study-beyond clean

$(STAMP): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[plot,test]'
	touch $@

test: $(STAMP)
	$(BIN)/python -m pytest -n 2

clean:
	rm -rf $(VENV) build dist out src/*.egg-info
	find src -name '*.so' -delete
