# netdyno: thin front door to CMake. `make help` lists what there is.

PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)

TOOL = build/host/netdyno
say  = @printf 'netdyno: %s\n'

# Configure a preset; what CMake says is worth reading only when it fails.
configure_preset = @said=$$(cmake --preset $(1) 2>&1) || { printf '%s\n' "$$said"; exit 1; }

.PHONY: help demo build check bench amalgamation install clean deps check-deps configure
.NOTPARALLEL:

help: ## this list
	@echo "netdyno, a dynamometer for embedded TCP/IP stacks"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 17
	@echo
	@echo "  JOBS=$(JOBS)  processes at once    PREFIX=$(PREFIX)  DESTDIR=$(DESTDIR)  where to install"

demo: build ## install what is missing, build, and measure lwIP on the simulated LPC1768 board
	$(say) "putting lwIP on the rollers: $(TOOL) run sim:lwip@lpc1768"
	@$(TOOL) run sim:lwip@lpc1768

build: configure ## build the tool and the firmware images
	$(say) "building the tool (build/host)"
	@cmake --build build/host -j $(JOBS)
	$(say) "building the firmware (build/cortex-m3)"
	@cmake --build build/cortex-m3 -j $(JOBS)

check: check-deps build ## install what is missing, build, and run every test
	$(say) "running every test; those named build.* build the whole tree once more"
	@ctest --test-dir build/host --output-on-failure --no-tests=error -j $(JOBS)

bench: build ## measure against other programs, side by side; prints ratios
	@set -e; for bench in bench/*; do [ ! -f $$bench ] || [ ! -x $$bench ] || $$bench; done

amalgamation: ## the agent as two files, build/amalgamation/netdyno.c and netdyno.h
	@scripts/amalgamate build/amalgamation
	$(say) "build/amalgamation/netdyno.c and netdyno.h; docs/porting.md says how to add them"

install: build ## install the tool, the images, the headers and the man page under PREFIX
	$(say) "installing under $(DESTDIR)$(PREFIX)"
	@DESTDIR='$(DESTDIR)' cmake --install build/host --prefix '$(PREFIX)'
	@DESTDIR='$(DESTDIR)' cmake --install build/cortex-m3 --prefix '$(PREFIX)'

clean: ## remove everything that was built, and the sources of lwIP that were fetched
	@rm -rf build

deps:
	@scripts/install-deps build

check-deps:
	@scripts/install-deps build check

configure: deps
	$(say) "configuring"
	$(call configure_preset,host)
	$(call configure_preset,cortex-m3)
