# Everyday commands. Everything is built under build/, whatever is missing is installed by scripts/setup.
JOBS ?= $(shell nproc)

all: build

build: configure
	@cmake --build build -j $(JOBS) --target jounce-cli jounce-static jounce-shared jounce-offline-static jounce-offline-shared

configure:
	@scripts/setup build
	@test -f build/CMakeCache.txt || cmake --preset release
