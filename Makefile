# netdyno: thin front door to CMake. `make help` lists what there is.

BUILD ?= build
PREFIX ?= /usr/local
TOOL = $(BUILD)/host/netdyno
JOBS ?= $(shell nproc)

.PHONY: help build demo check bench install clean deps check-deps configure

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

deps:
	@scripts/install-deps build

check-deps:
	@scripts/install-deps build check

configure: deps
	@echo "netdyno: configuring the tool (build/host) and the firmware (build/cortex-m3)"
	@cmake --preset host -Wno-dev >$(BUILD)-host.log 2>&1 || { cat $(BUILD)-host.log; exit 1; }
	@rm -f $(BUILD)-host.log
	@cmake --preset cortex-m3 -Wno-dev >$(BUILD)-cortex.log 2>&1 || { cat $(BUILD)-cortex.log; exit 1; }
	@rm -f $(BUILD)-cortex.log

build: configure ## build the tool and the firmware images
	@echo "netdyno: building the tool"
	@cmake --build build/host -j $(JOBS)
	@echo "netdyno: building the firmware"
	@cmake --build build/cortex-m3 -j $(JOBS)

demo: build ## install what is missing, build, and measure lwIP on the simulated LPC1768 board
	@echo "netdyno: putting lwIP on the dyno: $(TOOL) run sim:lwip@lpc1768"
	@$(TOOL) run sim:lwip@lpc1768

check: check-deps build ## install what is missing, build, and run every test
	@echo "netdyno: running the tests"
	@ctest --test-dir build/host --output-on-failure --no-tests=error -j $(JOBS)

bench: build ## measure against other programs, side by side; prints ratios
	@for bench in bench/*; do [ -x $$bench ] && [ -f $$bench ] && $$bench; done

install: build ## install tool, firmware images, headers and man pages under PREFIX
	@cmake --install build/host --prefix $(PREFIX)
	@cmake --install build/cortex-m3 --prefix $(PREFIX)

clean: ## remove everything that was built
	@rm -rf build
