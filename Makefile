# Makefile - the front door. Every target first installs what is missing, then leaves the work to CMake and tools/.
.PHONY: run build check test test-long bench deb doc fuzz format clean setup setup-build setup-bench setup-deb setup-doc setup-long

run: build
	tools/demo.sh

build: setup-build
	cmake --preset tool --log-level=WARNING
	cmake --build --preset tool

# For the minutes between edits: under three on a warm tree.
check: setup
	tools/check.sh

test: setup
	tools/test.sh

test-long: setup-long
	tools/test_long.sh

# Sizes to measure: make bench KEYS="1e6 1e7 1e8"
KEYS ?= 1e6 1e7
bench: setup-bench build
	tools/bench.sh $(KEYS)

# Debian packages, in build/deb.
deb: setup-deb build
	tools/deb.sh

# Guide, theory, format and a reference of all public classes, as a site in build/doc.
doc: setup-doc
	tools/doc.py

# Seconds for each fuzz target: make fuzz SECONDS_EACH=600
SECONDS_EACH ?= 60
fuzz: setup
	tools/fuzz.sh $(SECONDS_EACH)

format: setup
	tools/format.sh

clean:
	rm -rf build

# All that tests need; what building needs is less.
setup:
	@tools/setup.sh test

setup-build setup-bench setup-deb setup-doc setup-long:
	@tools/setup.sh $(@:setup-%=%)
