# Everyday commands. All is built under build/; what is missing is installed by scripts/setup.
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
export PREFIX
MAKEFLAGS += --no-print-directory

.PHONY: all demo test coverage bench bench-peers performance install format docs lists clean

all:
	@scripts/setup build
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target jounce-cli jounce-shared jounce-offline-shared

demo: all
	@scripts/setup demo
	@scripts/demo

# The tests of the release build, then all of them again under the sanitizers.
test:
	@scripts/setup build test demo
	cmake --preset release
	cmake --build build -j $(JOBS)
	ctest --preset release --no-tests=error
	cmake --preset sanitize
	cmake --build build/sanitize -j $(JOBS)
	ctest --preset sanitize --no-tests=error

# The tests once more, in a build that counts which lines and branches they take; then the table of them.
coverage:
	@scripts/setup build test demo
	cmake --preset coverage
	cmake --build build/coverage -j $(JOBS)
	find build/coverage -name '*.gcda' -delete
	-ctest --preset coverage --no-tests=error
	@tools/coverage build/coverage

bench:
	@scripts/setup build
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target jounce-cli
	@build/jounce bench

# The same vehicle in jounce and in MuJoCo, which is needed for nothing else.
bench-peers:
	@scripts/setup build peers
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target bench-peers
	@build/bench/peers/bench-peers --json build/bench-peers.json

# Measures everything in docs/performance.md anew, for some minutes. A quiet machine, please.
performance: all
	@scripts/setup test peers bench
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target bench-peers
	@tools/performance_tables

install: all
	@cmake --build build -j $(JOBS) --target jounce-static jounce-offline-static
	@cmake --install build --prefix $(PREFIX)

format:  # lay out the sources as the format check wants them
	@scripts/setup test
	@tools/format_sources

docs:  # make the pages again that are made from the sources
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target format_page
	@build/tools/format_page > docs/format.md

lists:  # precompile the operation lists of the shipped vehicles
	@cmake --preset release > /dev/null
	@cmake --build build -j $(JOBS) --target lane_lists
	@tools/lane_models build/tools/lane_lists > build/precompiled.inc
	@cp build/precompiled.inc src/solve/fast/precompiled.inc

clean:
	@rm -rf build
