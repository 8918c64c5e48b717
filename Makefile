# make run       a working renderer, from a fresh clone
# make test      everything that can be tested
# make help      the rest

PREFIX ?= /usr/local
DESTDIR ?=
SYSCONFDIR ?= /etc
UNITDIR ?= /lib/systemd/system
MANDIR ?= $(PREFIX)/share/man
# Where shells look for completions.
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
SWIFT ?= swift
# Options for vireod: make run ARGS="--name Kitchen"
ARGS ?=

# The only list of Debian packages.
BUILD_PACKAGES := g++ pkg-config libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libxml2-dev \
  libsqlite3-dev zlib1g-dev libtomlplusplus-dev libasound2-dev
RUN_PACKAGES := gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad \
  gstreamer1.0-plugins-ugly gstreamer1.0-libav gstreamer1.0-alsa gstreamer1.0-pulseaudio \
  libsoup-3.0-0 glib-networking ca-certificates
TEST_PACKAGES := python3 python3-venv curl gstreamer1.0-tools gupnp-tools gssdp-tools iproute2 util-linux \
  flac lame ffmpeg opus-tools vorbis-tools pulseaudio pulseaudio-utils libasound2-plugins openssl faketime icecast2 \
  libnet-upnp-perl python3-gi gir1.2-gupnp-1.6 minidlna gerbera rygel rygel-playbin dbus-daemon gmediarender \
  chromium-headless-shell fonts-dejavu-core node-typescript
BENCH_PACKAGES := gmediarender
# To be measured beside. Its services are as they come; the tests start programs of their own.
SNAPCAST_PACKAGES := snapserver snapclient
# For the control points that are complete applications. Home Assistant comes from PyPI and compiles some of its
# dependencies.
CLIENT_PACKAGES := kodi xvfb python3-dev webkit2gtk-driver xauth
DEB_PACKAGES := debhelper dpkg-dev lintian
DEB_TEST_PACKAGES := debootstrap systemd-container
ARM64_PACKAGES := debootstrap

VERSION := $(shell sed -n 's/.*CBUILD_VERSION "\(.*\)"/\1/p' Sources/CBuild/include/CBuild.h)
# Appended to the package's version: make deb DEB_SUFFIX=+local1
DEB_SUFFIX ?=
DEB_DIR ?= .build/deb
# The package's distributor: make deb MAINTAINER="Name <address>"
MAINTAINER ?=
export MAINTAINER
# The commit is known only in a git work tree of our own.
ifeq ($(shell git rev-parse --show-toplevel 2>/dev/null),$(shell pwd -P))
export VIREO_COMMIT ?= $(shell git describe --always --dirty --abbrev=12 --exclude='*')
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
endif
export SOURCE_DATE_EPOCH ?= $(shell stat -c %Y CHANGELOG.md)

# No Foundation is linked, and Swift's libraries are linked statically; see "What it must stay" in Sources/README.md.
# The binary must neither reveal nor depend on the directory in which it was built, so that builds are reproducible. So
# paths are mapped, and what the compiler adds for debuggers and for the next build is turned off: the paths of its
# cache of C modules, and a hash of its options (.swift_modhash). SwiftPM names a folder after the package's folder; the
# compiler records its path both relative and absolute.
PLUGIN_OUTPUTS := .build/plugins/outputs
PLUGIN_OUTPUTS_HERE := $(PLUGIN_OUTPUTS)/$(shell basename '$(CURDIR)' | tr A-Z a-z)
RELEASE := -c release --static-swift-stdlib -Xswiftc -Osize \
  -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)/$(PLUGIN_OUTPUTS_HERE)=./$(PLUGIN_OUTPUTS)/vireo \
  -Xswiftc -file-prefix-map -Xswiftc $(PLUGIN_OUTPUTS_HERE)=$(PLUGIN_OUTPUTS)/vireo \
  -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=. \
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
  -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs
# Each function has a section of its own and only symbols that a library asks for are exported, so that the linker drops what
# nothing uses.
RELEASE += -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections \
  -Xlinker --no-export-dynamic
# `assumeIsolated` already checks that it runs on its actor's executor; its closure would check that again. This takes out all
# checks that the compiler adds; the tests run with them.
RELEASE += -Xswiftc -Xfrontend -Xswiftc -disable-dynamic-actor-isolation
# Swift's linker is gold, which newer systems no longer have (Debian 13). Without it, the C compiler's default linker
# would be used, which puts Swift's tables into writable sections, so that they aren't made read-only after relocation
# (RELRO). The lld that comes with Swift does this right.
RELEASE += $(if $(shell command -v ld.gold),,-Xswiftc -use-ld=lld)
STRIP ?= strip
# What vireoctl may be, without symbols.
VIREOCTL_BYTES := 20000000
TESTS := Tests/Interop/run
ROOMS := Tests/Rooms/run

# One build for AddressSanitizer and the fuzzer: optimized, so that the fuzzer gets through many inputs, but with all
# checks of a debug build.
ASAN := --scratch-path .build-asan --sanitize=address -Xswiftc -O \
  -Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp \
  -Xcxx -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp
# Not optimized: inlined parts of the concurrency runtime, which is not instrumented, would look like data races.
TSAN := --scratch-path .build-tsan --sanitize=thread
# Seconds for each target of the fuzzer, and the names of the targets (all by default).
FUZZ_SECONDS ?= 600
FUZZ ?=
# The seconds for each target in `make test-long`, which runs every target and much more.
LONG_FUZZ_SECONDS ?= 120
# The number of actions of the soak test, which scales everything else, and its random seed (random by default).
SOAK_ACTIONS ?= 100000
SOAK_SEED ?=
# Seconds of each scenario of rooms in step, how many rooms listen, how often music is paused, sought and skipped, the seconds
# of the soak (0: none), and where the lines of JSON go that the tables are made of.
ROOMS_SECONDS ?= 600
ROOMS_MEMBERS ?= 7
ROOMS_ACTIONS ?= 50
ROOMS_SOAK ?= 0
ROOMS_FIGURES ?= .build/rooms.json
# Words of the rows of Tests/PROTECTIONS.md, or of the tests, that are tried (all, unless some are given); or --new, --list.
PROTECTIONS ?=

.PHONY: help run build build-vireod build-vireoctl install-vireod install-vireoctl debug test test-asan test-tsan test-clients test-long fuzz soak unit interop protections bench bench-control-point bench-pages rooms rooms-snapcast install \
  uninstall format lint docs icons clean toolchain packages test-packages bench-packages client-packages deb deb-packages \
  deb-test-packages test-deb test-arm64 reproducible

# Prerequisites are built one by one, in order.
.NOTPARALLEL:

help:
	@echo "make run        install what is missing, build, and start a renderer (ARGS=\"--name Kitchen\")"
	@echo "make build      the release binaries, .build/release/vireod and .build/release/vireoctl"
	@echo "make test       unit and interoperability tests (25 minutes on two cores)"
	@echo "make unit       the unit tests alone"
	@echo "make interop    the interoperability tests alone"
	@echo "make fuzz       hostile input: every target for FUZZ_SECONDS=$(FUZZ_SECONDS) (FUZZ=\"soap didl\" for some)"
	@echo "make soak       hard use for 25 minutes: $(SOAK_ACTIONS) actions (SOAK_ACTIONS, SOAK_SEED); then a check for leaks"
	@echo "make test-clients  Kodi and Home Assistant cast to it, again and again (20 minutes at most, and 1 GB to install)"
	@echo "make test-asan  the unit tests with AddressSanitizer"
	@echo "make test-tsan  the unit tests with ThreadSanitizer"
	@echo "make test-long  all of the long runs: clients, sanitizers, fuzz, package (as root), soak (two hours)"
	@echo "make protections  takes protections out of a copy, one by one: does a test fail? (an hour; PROTECTIONS=\"dtd subscriptions\" for some)"
	@echo "make rooms      how well $(ROOMS_MEMBERS) rooms keep step with one, $(ROOMS_SECONDS) s of each scenario (three hours; ROOMS_SECONDS, ROOMS_MEMBERS, ROOMS_SOAK)"
	@echo "make rooms-snapcast  the same beside Snapcast (ROOMS_SECONDS=60 for an impression)"
	@echo "make bench      figures: start, memory, latency, first sample"
	@echo "make bench-pages  figures of the page: memory, wake-ups, bytes, times (6 minutes)"
	@echo "make bench-control-point  figures of the control-point library and vireoctl, beside others (5 minutes)"
	@echo "make install    what was built, to PREFIX=$(PREFIX); DESTDIR is honoured"
	@echo "make uninstall  removes that again, but not the configuration"
	@echo "make deb        a Debian package for this architecture, in $(DEB_DIR)"
	@echo "make test-deb   installs, upgrades, removes and purges that in a Debian system of its own (as root)"
	@echo "make test-arm64  builds for arm64 in a Debian of its own, and runs interoperability tests on an emulated processor (as root, 8 GB)"
	@echo "make reproducible  builds the package twice, in two places, and compares"
	@echo "make format     swift format, in place"
	@echo "make lint       swift format, checking only; a look for what the sources must not hold"
	@echo "make docs       writes Config/vireo.toml, Config/vireo.toml.5 and the table in Config/README.md from the table of keys"
	@echo "make icons      draws the icons anew"
	@echo "make clean      removes what was built"

run: packages build-vireod
	.build/release/vireod $(ARGS)

build: build-vireod build-vireoctl

build-vireod: toolchain
	$(SWIFT) build $(RELEASE) --product vireod
	@! nm .build/release/vireod 2>/dev/null | grep -qE '10Foundation|20FoundationEssentials|12_RegexParser' || { \
	  echo "vireo: Foundation or the engine for regular expressions has got into the binary; see Sources/README.md" >&2; \
	  exit 1; }
	@nm -D --defined-only .build/release/vireod | grep -q g_utf8_make_valid || { \
	  echo "vireo: libsoup won't find our g_utf8_make_valid; see Sources/CSoupGuard/HeaderText.c" >&2; exit 1; }
	$(STRIP) .build/release/vireod

# Its argument parser brings Foundation's essential half. The completions are what the program itself says.
build-vireoctl: toolchain
	$(SWIFT) build $(RELEASE) --product vireoctl
	@test $$(size .build/release/vireoctl | awk 'NR == 2 { print $$1 + $$2 }') -le $(VIREOCTL_BYTES) || { \
	  size .build/release/vireoctl >&2; \
	  echo "vireo: vireoctl has more than $(VIREOCTL_BYTES) bytes" >&2; exit 1; }
	$(STRIP) .build/release/vireoctl
	mkdir -p .build/completions
	for shell in bash zsh fish; do \
	  .build/release/vireoctl completion $$shell > .build/completions/$$shell || exit 1; done

debug: toolchain
	$(SWIFT) build --build-tests

# The fuzz tests run separately: they keep every core busy, which would delay the tests that measure time.
define unit-tests
SWIFT="$(SWIFT)" Tests/unit $(1) --skip FuzzTests --beside GStreamerOutputTests \
  --beside 'RoomsTests|ListeningTests|JSONTests|XMLTests' && SWIFT="$(SWIFT)" Tests/unit $(1) --filter FuzzTests
endef

# These tests run in real time. On a slow or busy machine: INTEROP_PATIENCE=10.
# They run the binary that users get.
define interop-tests
VIREOD=.build/release/vireod VIREOCTL=.build/release/vireoctl $(TESTS)
VIREOD=.build/release/vireod $(ROOMS)
endef
# $(call rooms,TESTS): the long form, and the tables.
define rooms
mkdir -p $(dir $(ROOMS_FIGURES))
export VIREOD=.build/release/vireod ROOMS_STRICT=1 ROOMS_SECONDS=$(ROOMS_SECONDS) ROOMS_MEMBERS=$(ROOMS_MEMBERS) \
  ROOMS_ACTIONS=$(ROOMS_ACTIONS) ROOMS_SOAK=$(ROOMS_SOAK) ROOMS_FIGURES=$(abspath $(ROOMS_FIGURES)); \
  $(ROOMS) -s $(1); status=$$?; Tests/Rooms/table $(ROOMS_FIGURES); exit $$status
endef

test: packages test-packages debug build
	$(call unit-tests,--skip-build)
	$(interop-tests)

unit: packages test-packages debug
	$(call unit-tests,--skip-build)

# LeakSanitizer would also report what GStreamer keeps forever, and the build's own tools.
test-asan: packages test-packages toolchain
	export ASAN_OPTIONS=detect_leaks=0; $(SWIFT) build --build-tests $(ASAN)
	export ASAN_OPTIONS=detect_leaks=0; $(call unit-tests,--skip-build $(ASAN))

# Without the fuzzer's targets: they are pure and single-threaded, and an unoptimized parser under ThreadSanitizer takes
# twenty times as long for their largest inputs as they are given.
test-tsan: packages test-packages toolchain
	$(SWIFT) build --build-tests $(TSAN)
	SWIFT="$(SWIFT)" Tests/unit --skip-build $(TSAN) --skip FuzzTests

fuzz: packages toolchain
	SWIFT="$(SWIFT)" FUZZ_SECONDS=$(FUZZ_SECONDS) Tests/Fuzz/run $(ASAN) -- $(FUZZ)

soak: packages test-packages build
	SOAK_ACTIONS=$(SOAK_ACTIONS) SOAK_SEED=$(SOAK_SEED) VIREOD=.build/release/vireod Tests/Soak/run

# Complete applications with a screen and saved state: they take longer to start than most tests take to run.
test-clients: packages test-packages client-packages build
	Tests/Interop/clients/install
	VIREOD=.build/release/vireod $(TESTS) clients

# The targets that find problems soonest come first. Not with make -k: later targets would only report the same.
test-long: test-clients test-asan test-tsan
	$(MAKE) fuzz FUZZ_SECONDS=$(LONG_FUZZ_SECONDS)
	$(MAKE) test-deb
	$(MAKE) soak

interop: packages test-packages build
	$(SWIFT) build --product MediaDriver
	$(interop-tests)

# Of the sources as they are now, in a copy; what came of it is in Tests/Protections/results.md.
protections: packages test-packages toolchain
	SWIFT="$(SWIFT)" Tests/Protections/run $(PROTECTIONS)

bench: packages test-packages bench-packages build
	VIREOD=.build/release/vireod Tests/Bench/run

bench-control-point: packages test-packages build
	$(SWIFT) build $(RELEASE) --product control-point-bench
	$(TESTS) --version >/dev/null
	Tests/Bench/control-point

bench-pages: packages test-packages build
	$(TESTS) --version >/dev/null
	Tests/Bench/pages

# Three hours with the figures above. Tables: Tests/Bench/README.md.
rooms: packages test-packages build-vireod
	$(call rooms,test_correlator.py test_bench.py test_foreign_host.py test_rooms.py)

rooms-snapcast: packages test-packages build-vireod
	$(call install,$(SNAPCAST_PACKAGES))
	$(call rooms,beside)

toolchain:
	@command -v $(SWIFT) >/dev/null 2>&1 || { \
	  echo "vireo: Swift 6.2 or later is needed and '$(SWIFT)' isn't there." >&2; \
	  echo "  Install it from https://www.swift.org/install/linux (swiftly, or a tarball on your PATH)," >&2; \
	  echo "  or say where it is: make run SWIFT=/path/to/swift" >&2; exit 69; }
	@$(SWIFT) --version >/dev/null 2>&1 || { $(SWIFT) --version; \
	  echo "vireo: '$(SWIFT)' can't run; what it needs is said at https://www.swift.org/install/linux" >&2; exit 69; }
	@$(SWIFT) --version 2>/dev/null | awk '/Swift version/ { \
	    for (i = 1; i < NF; i++) if ($$i == "version") { split($$(i + 1), v, "."); \
	      if (v[1] > 6 || (v[1] == 6 && v[2] >= 2)) ok = 1; found = $$(i + 1) } } \
	  END { if (!ok) { print "vireo: Swift 6.2 or later is needed; this is " (found ? found : "unknown") > "/dev/stderr"; \
	    exit 69 } }'

# $(call install,PACKAGES): installs the missing packages and names them.
define install
	@missing=; for package in $(1); do \
	  dpkg-query -W -f='$${db:Status-Status}' $$package 2>/dev/null | grep -qx installed || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  command -v apt-get >/dev/null || { \
	    echo "vireo: these Debian packages (or what your system calls them) are missing:$$missing" >&2; exit 69; }; \
	  sudo=; if [ "$$(id -u)" != 0 ]; then \
	    sudo=sudo; command -v sudo >/dev/null || { \
	      echo "vireo: run as root: apt-get install --no-install-recommends$$missing" >&2; exit 69; }; fi; \
	  echo "vireo: installing$$missing"; \
	  $$sudo env DEBIAN_FRONTEND=noninteractive sh -c \
	    "apt-get -q update && apt-get -q install -y --no-install-recommends$$missing"; \
	fi
endef

packages:
	$(call install,$(BUILD_PACKAGES) $(RUN_PACKAGES))

test-packages:
	$(call install,$(TEST_PACKAGES))

client-packages:
	$(call install,$(CLIENT_PACKAGES))

bench-packages:
	$(call install,$(BENCH_PACKAGES))

deb-packages:
	$(call install,$(DEB_PACKAGES))

deb-test-packages:
	$(call install,$(DEB_TEST_PACKAGES))

# Doesn't build: root often has no Swift on its PATH, and should not own files in .build.
install: install-vireod install-vireoctl
	@echo "vireo: installed. Now: systemctl daemon-reload && systemctl enable --now vireo"

install-vireod:
	@test -x .build/release/vireod || { echo "vireo: nothing is built yet; first: make build" >&2; exit 1; }
	install -D -m 755 .build/release/vireod $(DESTDIR)$(PREFIX)/bin/vireod
	install -D -m 644 Config/vireod.8 $(DESTDIR)$(MANDIR)/man8/vireod.8
	install -D -m 644 Config/vireo.toml.5 $(DESTDIR)$(MANDIR)/man5/vireo.toml.5
	install -d $(DESTDIR)$(UNITDIR)
	sed 's|/usr/bin/vireod|$(PREFIX)/bin/vireod|' systemd/vireo.service > $(DESTDIR)$(UNITDIR)/vireo.service
	chmod 644 $(DESTDIR)$(UNITDIR)/vireo.service
	test -e $(DESTDIR)$(SYSCONFDIR)/vireo/vireo.toml || \
	  install -D -m 644 Config/vireo.toml $(DESTDIR)$(SYSCONFDIR)/vireo/vireo.toml

install-vireoctl:
	@test -x .build/release/vireoctl || { echo "vireo: nothing is built yet; first: make build" >&2; exit 1; }
	install -D -m 755 .build/release/vireoctl $(DESTDIR)$(PREFIX)/bin/vireoctl
	install -D -m 644 Config/vireoctl.1 $(DESTDIR)$(MANDIR)/man1/vireoctl.1
	install -D -m 644 .build/completions/bash $(DESTDIR)$(BASHDIR)/vireoctl
	install -D -m 644 .build/completions/zsh $(DESTDIR)$(ZSHDIR)/_vireoctl
	install -D -m 644 .build/completions/fish $(DESTDIR)$(FISHDIR)/vireoctl.fish

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/vireod $(DESTDIR)$(UNITDIR)/vireo.service \
	  $(DESTDIR)$(MANDIR)/man8/vireod.8 $(DESTDIR)$(MANDIR)/man5/vireo.toml.5 \
	  $(DESTDIR)$(PREFIX)/bin/vireoctl $(DESTDIR)$(MANDIR)/man1/vireoctl.1 \
	  $(DESTDIR)$(BASHDIR)/vireoctl $(DESTDIR)$(ZSHDIR)/_vireoctl $(DESTDIR)$(FISHDIR)/vireoctl.fish
	@echo "vireo: $(DESTDIR)$(SYSCONFDIR)/vireo is kept; remove it by hand if you like"

# debhelper skips steps that it has already done. Hence clean, which keeps .build.
deb: packages deb-packages debian/changelog
	mkdir -p $(DEB_DIR)
	rm -f $(DEB_DIR)/vireo*.deb
	DEB_RULES_REQUIRES_ROOT=no debian/rules clean
	DEB_RULES_REQUIRES_ROOT=no DEB_DESTDIR=$(abspath $(DEB_DIR)) debian/rules binary
	cd $(DEB_DIR) && for file in *.ddeb; do [ ! -e "$$file" ] || mv "$$file" "$${file%.ddeb}.deb"; done
	lintian --fail-on error,warning --tag-display-limit 0 $(DEB_DIR)/vireo*.deb
	@ls -l $(DEB_DIR)/vireo*.deb

# Made from CHANGELOG.md every time, since the version and the date may have changed.
.PHONY: debian/changelog
debian/changelog:
	@VERSION='$(VERSION)' DEB_SUFFIX='$(DEB_SUFFIX)' debian/make-changelog CHANGELOG.md > $@

test-deb: deb deb-test-packages
	Tests/Packaging/run $(DEB_DIR)

test-arm64: test-packages toolchain
	$(call install,$(ARM64_PACKAGES))
	SWIFT="$(SWIFT)" Tests/Arm64/run

reproducible: packages deb-packages
	Tests/Packaging/reproducible

format: toolchain
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests

lint: toolchain
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	@! grep -rnE --include='*.swift' --exclude-dir=ServiceXMLGenerator --exclude-dir=ServiceXMLPlugin \
	  --exclude-dir=PageAPIGenerator --exclude-dir=PageAPIPlugin \
	  '^ *(@[a-zA-Z]+ )?(public )?import Foundation|TODO|FIXME|try!|fatalError' Sources \
	  || { echo "vireo: the lines above must not be in Sources" >&2; exit 1; }
	@Tests/Protections/run --list >/dev/null

docs: debug
	VIREO_REWRITE=1 $(SWIFT) test --skip-build --filter 'theInstalledFileIsTheTable|theGuideHoldsTheTable|theManualHoldsTheTable'

icons:
	python3 Config/icon/draw.py

clean:
	rm -rf .build .build-asan .build-tsan .build-protections .venv Tests/Interop/.venv Tests/Interop/clients/.venv
