# Every target does its own set-up: a virtual environment in .venv, with this folder installed in it.
# Needed on the machine: Python 3.11 or later, make and a C compiler.
PYTHON  ?= $(shell python3.11 -c 'print("python3.11")' 2>/dev/null || echo python3)
OUT     ?= out
VENV    := .venv
PYTEST_OPTIONS ?= -n auto
CHECK_PATHS ?= tests
BIN     := $(VENV)/bin
READY   := $(VENV)/.ready
BUILT   := $(VENV)/.built
CHECKING := $(VENV)/.checking
TESTING := $(VENV)/.testing
KERNELS := $(shell find src -name '*.pyx' -o -name '*.pxd' -o -name '*.h')
# $(call BRING,a b): install what the extras a and b name, one requirement a line (a line may carry a marker)
BRING    = $(BIN)/python -c "import tomllib; known = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; \
  print(*(each for extra in '$(1)'.split() for each in known[extra]), sep='\n')" | $(BIN)/pip install --quiet --requirement /dev/stdin
# As an address: pip splits a list of paths at blanks, and its build environments have other working folders.
export PIP_CONSTRAINT := $(shell "$(PYTHON)" -c "import pathlib; print(pathlib.Path('constraints.txt').resolve().as_uri())")
export PIP_BUILD_CONSTRAINT := $(PIP_CONSTRAINT)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_USER := 0
export PIP_NO_COMPILE := 1
export PIP_REQUIRE_VIRTUALENV := 0
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL := C.UTF-8# setuptools cannot write a path with an umlaut under C
endif
.NOTPARALLEL:

.PHONY: help reproduce check test setup-matrix stress attacks sanitise bits bench bench-large study-beyond mutants coverage browsers pictures docs site wheels wheels-all image pyodide clean
.DEFAULT_GOAL := help

help:
	@echo 'make reproduce      the tables and figures of the paper, and a report, in $(OUT)/'
	@echo 'make check          the tests that a change in Python code needs: no browser, other libraries, cluster or database'
	@echo 'make test           every test, every example in the documents, on all cores'
	@echo 'make setup-matrix   the set-up and some tests in scratch clones, under the conditions of other machines, as a table'
	@echo 'make stress         the whole hostile suite: 10,000 instances, and 2,000 with many arms'
	@echo 'make attacks        an organiser who tries to win a draw, under each source, beside theory'
	@echo 'make sanitise       the kernels under sanitisers: their tests, and a hostile sample'
	@echo 'make bits           gcc and clang, kernels of BLAS and threads find the same policies, bit for bit'
	@echo 'make bench          speed, side by side with what one would use instead; FAMILIES="direct scores" for some of it, PAGE=FILE writes a page'
	@echo 'make bench-large    a crowd of 100 million: 8 GB of files, two processes'
	@echo 'make study-beyond   learners beyond the paper, compared'
	@echo 'make mutants        plant faults one at a time: every one must be noticed; 12,000 records by three readers'
	@echo 'make coverage       which lines and branches no test runs'
	@echo 'make browsers       the pages in Firefox and WebKit, and ten people with human pauses in Chromium'
	@echo 'make pictures       the screenshots of the tutorial and the figures of the gallery, again'
	@echo 'make docs           the reference pages that come from tables in the code'
	@echo 'make site           the documentation as a site that can be searched, in site/'
	@echo 'make wheels         wheels that need no compiler, tried on every Python found, and a source archive, in dist/'
	@echo 'make wheels-all     and wheels for arm, Windows, musl and macOS; the first two are run under emulators'
	@echo 'make image          the service as a container image, made without an engine from the wheel in dist/ (built first if there is none), and started'
	@echo 'make pyodide        a wheel for Python in a browser tab, tried in Node, and the playground of the site'
	@echo 'make clean          remove everything that make has made'

$(READY): pyproject.toml setup.py constraints.txt wheels/compiler.py
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Isegoria needs Python 3.11 or later; say make PYTHON=/path/to/python3.11 …' >&2; exit 2; }
	@"$(PYTHON)" wheels/compiler.py
	"$(PYTHON)" -m venv $(VENV)
	$(BIN)/pip install --quiet setuptools Cython numpy
	$(BIN)/python setup.py -q build_ext --inplace
	$(BIN)/pip install --quiet --no-build-isolation --editable '.[plot,serve]'
	touch $@ $(BUILT)

# Only what has changed is compiled, because the environment and its time stamps stay.
$(BUILT): $(READY) $(KERNELS)
	$(BIN)/python setup.py -q build_ext --inplace
	touch $@

$(CHECKING): $(READY)
	$(call BRING,dev serve)
	touch $@

$(TESTING): $(CHECKING) tests/browser/downloads.py
	$(call BRING,dev browser peers bench serve site)
	touch $@

reproduce: $(READY) $(BUILT)
	$(BIN)/isegoria reproduce all --seeds 20 --workers 2 --out $(OUT)

check: $(CHECKING) $(BUILT)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest $(PYTEST_OPTIONS) -m 'not (slow or browser or peers or service)' $(CHECK_PATHS)

test: $(TESTING) $(BUILT)
	$(BIN)/python tests/browser/downloads.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest $(PYTEST_OPTIONS)

setup-matrix:
	"$(PYTHON)" tests/setup_matrix.py $(CONDITIONS)

stress: $(TESTING) $(BUILT)
	$(BIN)/python tests/stress.py
	$(BIN)/python benchmarks/stress/core.py
	$(BIN)/python benchmarks/stress/crowds.py
	$(BIN)/python tests/analysis/axioms/stress_axioms.py
	$(BIN)/python tests/stress_partial_consensus.py
	$(BIN)/python tests/learning/stress_elimination.py
	$(BIN)/python tests/stress_study.py
	$(BIN)/python tests/record/stress_record.py
	$(BIN)/python tests/turns/stress_turns.py
	$(BIN)/python tests/verifier/stress_verifier.py
	$(BIN)/python tests/verifier/adversary_game.py 7 1000000
	$(BIN)/python tests/mutated_files.py --each 2000
	$(BIN)/python tests/one_page/trials.py
	$(BIN)/python tests/service/service_stress.py
	PYTHONPATH=tests:tests/service:tests/verifier $(BIN)/python tests/service/honest_lives.py 3600
	$(BIN)/python tests/service/hostile_tenant

attacks: $(TESTING) $(BUILT)
	$(BIN)/python tests/verifier/run_attacks.py
	$(BIN)/python tests/verifier/adversary_game.py
	$(BIN)/python tests/mutants/run.py tests/verifier/test_attacks.py

WATCHED := build/sanitise
RUNTIME  = $(shell gcc -print-file-name=libasan.so) $(shell gcc -print-file-name=libstdc++.so.6)
sanitise: $(TESTING) $(BUILT)
	ISEGORIA_SANITISE=1 CC=gcc $(BIN)/python setup.py -q build --build-base $(WATCHED) --build-lib $(WATCHED)/lib
	LD_PRELOAD='$(RUNTIME)' ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$(WATCHED)/lib OPENBLAS_NUM_THREADS=1 \
	  $(BIN)/python -m pytest -n auto tests/solvers tests/solvers/rows tests/out_of_core/test_chunk_kernels.py tests/rules/test_hostile_inputs.py

bits: $(TESTING) $(BUILT)
	@command -v clang >/dev/null || { echo 'make bits compares gcc with clang, and there is no clang: install it (on Debian, apt install clang).' >&2; exit 2; }
	set -e; for compiler in gcc clang; do \
	  CC=$$compiler LDSHARED="$$compiler -shared" $(BIN)/python setup.py -q build --build-base build/$$compiler \
	    --build-lib build/$$compiler/lib; \
	  PYTHONPATH=build/$$compiler/lib $(BIN)/python tests/bit_digests.py > build/$$compiler.sha256; done
	diff build/gcc.sha256 build/clang.sha256 && echo 'gcc and clang agree to the last bit'
	$(BIN)/python tests/bit_digests.py --settings

bench: $(TESTING) $(BUILT)
	$(BIN)/python -m benchmarks $(if $(PAGE),--page $(PAGE)) $(FAMILIES)

bench-large: $(TESTING) $(BUILT)
	$(BIN)/python -m benchmarks.large_profiles

study-beyond: $(READY) $(BUILT)
	$(BIN)/python -m isegoria.studies.perpetual_voting --out $(OUT)
	$(BIN)/python -m isegoria.studies.elimination --out $(OUT)

mutants: $(TESTING) $(BUILT)
	$(BIN)/python tests/mutants/run.py
	$(BIN)/python tests/verifier/parity.py 2000 10000

coverage: $(TESTING) $(BUILT)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m coverage run -m pytest -n auto
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

browsers: $(TESTING) $(BUILT)
	ISEGORIA_HUMAN=1 $(BIN)/python -m pytest -q -s tests/pages/test_first_group.py -k ten_people
	ISEGORIA_WHOLE=1 $(BIN)/python -m pytest -q tests/pages/test_round_phases.py
	$(BIN)/python tests/cross_browser/run.py

pictures: $(TESTING) $(BUILT)
	ISEGORIA_PICTURES=1 $(BIN)/python -m pytest -q tests/pages/test_tutorial.py tests/test_docs_examples.py::test_gallery_draws_its_figures

docs: $(READY) $(BUILT)
	$(BIN)/python docs/generate.py
	$(BIN)/python wheels/package_metadata.py

site: $(READY) $(BUILT)
	$(call BRING,site)
	$(BIN)/python docs/build_site.py --out site

wheels: $(READY) $(BUILT)
	$(call BRING,wheels)
	$(BIN)/python wheels/build.py

image: $(READY) $(BUILT)
	@ls dist/*-cp311-*manylinux*.whl >/dev/null 2>&1 || $(MAKE) wheels
	$(BIN)/python wheels/container_image.py

wheels-all: wheels
	$(BIN)/python wheels/cross_build.py $(WHEELS:%=--target %) $(WHEELS_OPTIONS)

pyodide: $(TESTING) $(BUILT)
	$(call BRING,wheels)
	$(BIN)/python wheels/pyodide.py
	$(BIN)/python -m pytest -q tests/one_page/test_playground.py

clean:
	rm -rf $(VENV) build dist site $(OUT) src/*.egg-info .coverage*
	find src -name '*.so' -delete
