# Everything starts here: `make review` for the main job, `make test` for every test.
# The chores themselves are written in Rust: see crates/xtask.

.DEFAULT_GOAL := help
.PHONY: help review install packages stick python python-test test check devices fuzz calibrations findings reproduce
MAKEFLAGS += --no-print-directory

# Where rustup puts the toolchain, for shells that do not know it yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

help:            ## list what can be made
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo "Arguments for the review go in ARGS:  make review ARGS='/dev/nvme0n1 --scale quick'"

review:          ## build the release and review a drive (default: a test file in this folder)
	@sh setup/toolchain.sh
	cargo run --release --locked -p drivelab -- review $(ARGS)

install:         ## build the release; put program, man pages and completions below PREFIX (~/.local)
	@sh setup/toolchain.sh
	cargo build --release --locked -p drivelab
	@sh setup/install-program.sh target/release/drivelab "$(DESTDIR)$(or $(PREFIX),$(HOME)/.local)"

packages:        ## build a static program, its archive and .deb, sums and SBOM into dist/
	@sh setup/toolchain.sh
	@sh packaging/build.sh $(ARGS)

stick:           ## build an image of a USB stick that starts a PC with drivelab, into dist/ (ARGS=--release-notes)
	@sh setup/toolchain.sh git
	@sh setup/stick-needs.sh
	@[ -n "$(findstring --release-notes,$(ARGS))" ] || sh packaging/build.sh
	@sh stick/build.sh $(ARGS)

python:          ## build the Python wheel into dist/ and run its tests (PYTHON=python3.12, ARGS='-k arrays')
	@sh setup/toolchain.sh
	@sh setup/python.sh $(ARGS)

python-test:     ## run the tests of the Python package on a quickly built wheel; skip them where pip reaches no registry
	@sh setup/toolchain.sh
	@sh setup/python.sh --quick $(ARGS)

test:            ## every check and every test; installs what tests need where it may
	@sh setup/toolchain.sh git
	@sh setup/test-needs.sh
	cargo run --quiet --locked -p xtask -- test

check:           ## formatting, lints, documentation, licences, advisories, tidiness, dependencies
	@sh setup/toolchain.sh git
	cargo run --quiet --locked -p xtask -- check

devices:         ## try the program on fleets of drives in a virtual machine (about 25 minutes)
	@sh setup/toolchain.sh
	@sh setup/devices-needs.sh
	@sh setup/stick-needs.sh || echo "devices: no stick can be built here: its cases are skipped"
	cargo build --quiet --locked -p drivelab -p devices
	cargo run --quiet --locked -p devices -- $(ARGS)

fuzz:            ## give every parser inputs that take new branches, 60 s each (SECONDS=600, ARGS='plan trace')
	@sh setup/toolchain.sh
	cargo run --quiet --locked -p xtask -- fuzz $(or $(SECONDS),60) $(ARGS)

calibrations:    ## fit every family of drives again, and compare with the catalogue (may take an hour)
	@sh setup/toolchain.sh
	cargo run --release --locked -p drivelab -- develop fit --all --check

findings:        ## review every catalogued drive and many faulty ones, and compare the findings with an expert's
	@sh setup/toolchain.sh
	cargo run --release --locked -p drivelab -- develop findings $(ARGS)

reproduce:       ## compare every modelled drive with what was published of the real one, and print the score
	@sh setup/toolchain.sh
	cargo run --release --locked -p drivelab -- develop reproduce $(ARGS)
