# Needs Python >= 3.11, git, make and a package index. `make help` lists the targets.
PYTHON ?= python3
PROFILE ?= quick
ONLY ?=
ACCEPT ?=
ARGS ?=
CASES ?= 5000
VENV := .venv
BIN := $(VENV)/bin
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' mr/__init__.py)
STAMP := $(VENV)/.installed
# `exec` puts the command in the place of the shell, so that a signal to make reaches it and not a shell in between; a
# make that is killed can send none, so the command is told whom to watch.
RUN := exec env MR_MAKE=$$PPID $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help reproduce recheck verify test fuzz lint wheel site bundle crate archive lab lock clean

help:  ## list the targets
	@echo "make reproduce                  run the whole pipeline at quick scale (minutes)"
	@echo "make reproduce PROFILE=paper    rerun everything the papers print, on the real data (hours), and compare"
	@echo "make reproduce PROFILE=paper ONLY=chen2012_table2   one artifact"
	@echo "                                  ACCEPT=1 puts the new rows in the place of the committed ones"
	@echo "make verify                     do the committed results follow from the committed rows? (seconds, no data)"
	@echo "make recheck                    rerun a sample of tasks: do the committed rows still follow from the code?"
	@echo "make test                       tests, examples of the docstrings, coverage; ARGS=tests/graph for a part"
	@echo "make fuzz                       estimators on random data, labels and parameters; CASES=5000 per estimator"
	@echo "make lint                       ruff: rules and format, notebooks included"
	@echo "make wheel                      build the wheel, try it in a clean environment without extras"
	@echo "make site                       build the site into build/site and open it in chromium where that is installed"
	@echo "make archive                    pack a citable release: sources, results, RO-Crate, wheel (needs a clean tree)"
	@echo "make bundle                     pack the cache (graphs, spectra, rows) into one archive"
	@echo "make lab                        open the notebooks in JupyterLab"
	@echo "make lock                       compile requirements.in into requirements.txt (needs uv)"
	@echo "make clean                      delete what quick runs, the site and coverage wrote"

# Byte-compiling now saves seconds in each of the many short processes later. The stamp is touched last, so an
# interrupted installation is done again.
$(STAMP): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python >= 3.11 is needed; choose one with: make PYTHON=python3.12 ..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib mr experiments || true
	@touch $@

reproduce: $(STAMP)
	$(RUN) -m experiments reproduce --profile $(PROFILE) $(foreach id,$(ONLY),--only $(id)) $(if $(ACCEPT),--accept)

recheck: $(STAMP)
	$(RUN) -m experiments recheck

verify: $(STAMP)
	$(RUN) -m experiments verify

# Coverage is measured over the whole suite only. What it leaves out, and why, stands in pyproject.toml.
test: $(STAMP)
	$(RUN) -m pytest -q -n auto --dist loadfile \
		$(if $(ARGS),$(ARGS),--doctest-modules --cov=mr --cov-report=term --cov-fail-under=90)

# Other cases in every run. A failure names the command that runs its case again.
fuzz: $(STAMP)
	exec env MR_FUZZ_CASES=$(CASES) $(BIN)/python -m pytest -q -n auto tests/fuzz $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

wheel: $(STAMP)
	$(RUN) .ci/check_wheel.py

# Warnings are errors; the code of the guide and the gallery runs; every internal link is checked.
site: $(STAMP)
	$(BIN)/python -m experiments.site.build
	exec env MR_SITE=build/site $(BIN)/python -m pytest -q -rs tests/site/test_browser.py

# What was run, on which data, by which code: an RO-Crate made from dvc.lock.
crate: $(STAMP)
	$(RUN) -m experiments.site.release crate

archive: crate
	@git diff --quiet HEAD || { echo "commit your changes first: an archive is made from a commit" >&2; exit 1; }
	mkdir -p dist
	$(BIN)/python -m hatchling build -d dist
	git archive --format=tar.gz --prefix=mr-$(VERSION)/ --add-file=build/ro-crate-metadata.json \
		-o dist/mr-$(VERSION)-compendium.tar.gz HEAD
	cd dist && sha256sum *$(VERSION)* > SHA256SUMS

bundle: $(STAMP)
	mkdir -p dist
	tar cf dist/mr-cache.tar $(wildcard cache/graphs cache/spectra) data/runs data/inputs
	@echo "unpack it in the root of a clone: tar xf mr-cache.tar -C CLONE"

lab: $(STAMP)
	exec $(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks/00_overview.ipynb $(ARGS)

# Versions that are locked stay as they are; add --upgrade-package NAME to ARGS to change one.
lock:
	exec uv pip compile requirements.in --generate-hashes --python-version 3.11 --universal --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --output-file requirements.txt $(ARGS)

clean:
	rm -rf quick build .coverage .coverage.*
