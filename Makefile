# Needs Python >= 3.11, git, make and a package index. `make help` lists the targets.
PYTHON ?= python3
PROFILE ?= quick
ONLY ?=
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help reproduce test verify lab lock clean

help:  ## list the targets
	@echo "make reproduce                  run the whole pipeline at quick scale, below quick/ (minutes)"
	@echo "make reproduce PROFILE=paper    regenerate everything the papers print, on the real data (hours)"
	@echo "make reproduce PROFILE=paper ONLY=chen2012_table2   one artifact"
	@echo "make test                       the test suite"
	@echo "make verify                     do the committed results belong to the committed code? (seconds)"
	@echo "make lab                        open the notebooks in JupyterLab"
	@echo "make lock                       compile requirements.in into requirements.txt (needs uv)"
	@echo "make clean                      delete the quick workspace"

# Byte-compiling now saves seconds in each of the many short processes later. The stamp is touched last, so an
# interrupted installation is done again.
$(STAMP): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python >= 3.11 is needed; choose one with: make PYTHON=python3.12 ..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib mr || true
	@touch $@

reproduce: $(STAMP)
	$(BIN)/python -m mr reproduce --profile $(PROFILE) $(foreach id,$(ONLY),--only $(id))

test: $(STAMP)
	$(BIN)/python -m pytest -q -n auto --dist loadfile $(ARGS)

verify: $(STAMP)
	$(BIN)/python -m mr verify

lab: $(STAMP)
	$(BIN)/jupyter lab notebooks

lock:
	uv pip compile requirements.in --generate-hashes --python-version 3.11 --universal --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links -o requirements.txt

clean:
	rm -rf quick
