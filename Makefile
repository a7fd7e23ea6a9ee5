# SPDX-License-Identifier: BSD-3-Clause
# pptrans and pprec. `make help` lists the targets.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSCONFDIR ?= /etc
DATADIR ?= $(PREFIX)/share/pprec
INSTALL ?= install
PKG_CONFIG ?= pkg-config
# Compiles what runs while building, where CC is for another processor.
CC_FOR_BUILD ?= cc

# Another configuration (a sanitizer, another compiler) goes to another directory.
BUILD ?= build
CFLAGS ?= -O2 -g
WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wconversion
ALL_CFLAGS = $(NEEDS_LINUX) -std=c11 -D_GNU_SOURCE $(WIDE) -I. $(HARDEN_CFLAGS) \
	$(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(SANITIZE)
ALL_LDFLAGS = $(HARDEN_LDFLAGS) $(LDFLAGS) $(SANITIZE)

# What distributions harden their packages with, as far as the compiler has it, and no path of this
# directory, so that any other gives the same bytes. Asked once, and only by what compiles.
# `make HARDEN=no` does without.
HARDEN ?= yes
asks = $(eval $(1) := $(shell HARDEN='$(HARDEN)' CC='$(CC)' CFLAGS='$(CPPFLAGS) $(CFLAGS)' \
	LDFLAGS='$(LDFLAGS)' SANITIZE='$(SANITIZE)' tests/hardening $(2)))$($(1))
HARDEN_CFLAGS = $(call asks,HARDEN_CFLAGS,compile)
HARDEN_LDFLAGS = $(call asks,HARDEN_LDFLAGS,link)

processor = $(firstword $(subst -, ,$(shell $(1) -dumpmachine 2>/dev/null)))
CROSS =
ifneq ($(origin CC),default)
CROSS := $(and $(call processor,$(CC_FOR_BUILD)),$(filter-out $(call processor,$(CC_FOR_BUILD)),$(call processor,$(CC))))
endif
# Asked once, and only by what compiles.
NEEDS_LINUX = $(eval SYSTEM := $(shell $(CC) -dumpmachine 2>/dev/null || uname -s))$(eval NEEDS_LINUX := \
	$(if $(findstring linux,$(SYSTEM))$(findstring Linux,$(SYSTEM)),,$$(error \
	pptrans and pprec need Linux, whose kernel stamps packets: this is $(SYSTEM))))$(NEEDS_LINUX)

VERSION := $(shell sed -n 's/.*PPREC_VERSION "\(.*\)"/\1/p' pprec/pprec.h)

# Expanded when a command runs, so that `make deps all` finds what deps installed.
EVENT_CFLAGS = $(shell $(PKG_CONFIG) --cflags libevent_extra)
EVENT_LIBS = $(shell $(PKG_CONFIG) --libs libevent_core libevent_extra)
PCAP_LIBS = $(shell $(PKG_CONFIG) --libs libpcap)
# Optional: without it nothing is signed or verified, and --key-file says so; tables of streams and flows
# hash by a plainer keyed function.
SODIUM_CFLAGS = $(shell $(PKG_CONFIG) --exists libsodium && echo -DAUTH_SODIUM \
	`$(PKG_CONFIG) --cflags libsodium`)
SODIUM_LIBS = $(shell $(PKG_CONFIG) --silence-errors --libs libsodium)
COMMON_LIBS = $(SODIUM_LIBS) -lm
# Optional: without it pprec goes without a filter of system calls. Sanitizers make calls of their own.
SECCOMP_CFLAGS = $(if $(SANITIZE),,$(shell $(PKG_CONFIG) --exists libseccomp && echo -DWITH_SECCOMP \
	`$(PKG_CONFIG) --cflags libseccomp`))
SECCOMP_LIBS = $(if $(SANITIZE),,$(shell $(PKG_CONFIG) --silence-errors --libs libseccomp))
CHECK_CFLAGS = $(shell $(PKG_CONFIG) --cflags check)
CHECK_LIBS = $(shell $(PKG_CONFIG) --libs check)

sources = $(sort $(foreach room,$(1),$(wildcard $(room)/*.c)))
objects = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))

# On 32 bits logs may pass 2 GiB, and time 2038. But libpcap and libevent are compiled with the
# system's own time_t: so is what gives them a struct timeval, or takes one.
WIDE = -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
TIMEVAL = $(addprefix $(BUILD)/,pprec/lib/capture.o pprec/lib/capture_file.o pprec/lib/capture_live.o \
	pprec/cmd/loop.o pprec/cmd/server.o tests/lab/egress.o tests/sim/capture.o \
	tests/unit/test_sim_judge.o tests/bench/capture/capture.o)
$(TIMEVAL): WIDE = -D_FILE_OFFSET_BITS=64

LIBRARY = $(call objects,pprec/lib filters common)
PPREC = $(call objects,pprec/cmd)
PPTRANS_MAIN = $(BUILD)/pptrans/main.o
PPTRANS = $(filter-out $(PPTRANS_MAIN),$(call objects,pptrans))
EXAMPLES = $(call objects,pprec/examples)
LAB_OBJECTS = $(call objects,tests/lab tests/bench/capture)
RELAY = $(filter $(BUILD)/tests/lab/relay%,$(LAB_OBJECTS))
RELAY_PARTS = $(addprefix $(BUILD)/tests/lab/relay_,fair.o frame.o link.o path.o)
UNIT = $(call objects,tests/unit)
SIM = $(filter-out $(BUILD)/tests/sim/accuracy.o,$(call objects,tests/sim))
BENCH = $(call objects,tests/bench)
OBJECTS = $(LIBRARY) $(PPREC) $(EXAMPLES) $(PPTRANS_MAIN) $(PPTRANS) $(LAB_OBJECTS) $(UNIT) $(FUZZ) $(BENCH) \
	$(SIM) $(BUILD)/tests/sim/accuracy.o $(COMPLETE)

# The major version of the ABI: it changes when programs must be compiled anew.
SONAME = libpprec.so.0
SHARED = $(BUILD)/libpprec.so.$(VERSION)

FUZZERS = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ = $(call objects,tests/fuzz)
FUZZ_PARTS = $(addprefix $(BUILD)/tests/,fuzz/exact.o fuzz/figures.o fuzz/junk.o fuzz/measurement.o unit/random.o)

COMPLETE = $(call objects,pprec/cmd/complete pptrans/complete)
COMPLETIONS = $(BUILD)/completion/pprec.bash $(BUILD)/completion/pprec.zsh \
	$(BUILD)/completion/pptrans.bash $(BUILD)/completion/pptrans.zsh

BIN = $(BUILD)/bin
PROGRAMS = $(BIN)/pptrans $(BIN)/pprec

all: $(PROGRAMS) $(BUILD)/libpprec.a $(SHARED) $(COMPLETIONS) ## build the programs and the library

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | sort | expand -t 18

# --- Building ---

$(BIN)/pprec: $(PPREC) $(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(EVENT_LIBS) $(SECCOMP_LIBS) $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/pptrans: $(PPTRANS_MAIN) $(PPTRANS) $(call objects,common)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(COMMON_LIBS)

# What shells complete, from the same tables as --help. Built without libraries, for it must run here
# even where those of another processor are all there are.
$(BIN)/complete_pprec: $(BUILD)/pprec/cmd/complete/main.o $(BUILD)/pprec/cmd/options.o \
		$(filter-out $(BUILD)/pprec/lib/capture%,$(LIBRARY))
$(BIN)/complete_pptrans: $(BUILD)/pptrans/complete/main.o $(PPTRANS) $(call objects,common)
$(BIN)/complete_%:
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(COMMON_LIBS)

COMPLETERS = $(BIN)/complete_pprec $(BIN)/complete_pptrans
ifneq ($(CROSS),)
HOST = $(BUILD)/host
COMPLETERS = $(HOST)/bin/complete_pprec $(HOST)/bin/complete_pptrans

$(COMPLETERS): completers ;
completers:
	@echo "  CC $(HOST) (by $(CC_FOR_BUILD), to run here)"
	@$(MAKE) --no-print-directory BUILD=$(HOST) CC='$(CC_FOR_BUILD)' CPPFLAGS= CFLAGS=-O0 LDFLAGS= \
		SANITIZE= PKG_CONFIG=false $(COMPLETERS) >/dev/null
.PHONY: completers
endif

$(BUILD)/completion/%.bash: $(COMPLETERS)
	@mkdir -p $(@D)
	@$(filter %_$*,$^) bash >$@
$(BUILD)/completion/%.zsh: $(COMPLETERS)
	@mkdir -p $(@D)
	@$(filter %_$*,$^) zsh >$@

$(BUILD)/libpprec.a: $(LIBRARY)
	@echo "  AR $@"
	@rm -f $@ && $(AR) rcsD $@ $^

$(BIN)/layered_receive: $(BUILD)/pprec/examples/layers.o
$(BIN)/layered_send $(BIN)/layered_receive $(BIN)/rtp $(BIN)/poll: $(BIN)/%: $(BUILD)/pprec/examples/%.o \
		$(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libpprec.a $(PCAP_LIBS) $(COMMON_LIBS)

$(SHARED): $(LIBRARY) pprec/libpprec.map
	@echo "  LD $@"
	@$(CC) $(filter-out -pie,$(ALL_LDFLAGS)) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=pprec/libpprec.map \
		-o $@ $(LIBRARY) $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/relay: $(RELAY) $(call objects,common)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(COMMON_LIBS)

$(BIN)/train $(BIN)/sink $(BIN)/flood $(BIN)/copy $(BIN)/copycat: $(BIN)/%: $(BUILD)/tests/lab/%.o $(call objects,common)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(COMMON_LIBS)

$(BIN)/egress: $(BUILD)/tests/lab/egress.o $(call objects,common)
$(BIN)/capture: $(BUILD)/tests/bench/capture/capture.o $(call objects,common)
$(BIN)/egress $(BIN)/capture:
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/unit: $(UNIT) $(SIM) $(PPTRANS) $(filter-out $(BUILD)/pprec/cmd/main.o,$(PPREC)) \
		$(RELAY_PARTS) $(BUILD)/pprec/examples/layers.o $(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) $(COUNT_ALLOCATIONS) -pthread -o $@ $^ $(CHECK_LIBS) $(EVENT_LIBS) $(SECCOMP_LIBS) $(PCAP_LIBS) $(COMMON_LIBS)

COUNT_ALLOCATIONS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc # tests/unit/allocations.c

$(BIN)/accuracy: $(BUILD)/tests/sim/accuracy.o $(SIM) $(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) -pthread $(COMMON_LIBS)

$(BIN)/bench: $(BENCH) $(PPTRANS) $(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

# The same objects go into both libraries; what pprec.h does not declare stays inside.
$(LIBRARY): ALL_CFLAGS += -fPIC -fvisibility=hidden
$(LIBRARY): Makefile

$(BIN)/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(FUZZ_PARTS) \
		$(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/datagrams: $(BUILD)/tests/fuzz/datagrams.o $(BUILD)/tests/fuzz/fuzz_datagram.o $(FUZZ_PARTS) \
		$(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/forgeries: $(BUILD)/tests/fuzz/forgeries.o $(FUZZ_PARTS) $(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(FUZZ_PARTS) $(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

WITH_SODIUM = $(addprefix $(BUILD)/common/,auth.o keyed_hash.o)
$(WITH_SODIUM): EXTRA_CFLAGS = $(SODIUM_CFLAGS)
$(WITH_SODIUM): $(BUILD)/libsodium
$(BUILD)/pptrans/%.o: EXTRA_CFLAGS = -DPP_VERSION='"$(VERSION)"'
$(BUILD)/pprec/cmd/%.o: EXTRA_CFLAGS = $(EVENT_CFLAGS)
$(BUILD)/pprec/cmd/confine.o: EXTRA_CFLAGS = $(SECCOMP_CFLAGS)
$(BUILD)/pprec/cmd/confine.o: $(BUILD)/libseccomp
$(BUILD)/tests/unit/%.o: EXTRA_CFLAGS = $(CHECK_CFLAGS)

# Change when a library comes or goes: objects made without libsodium would go on refusing keys.
$(BUILD)/libsodium: FORCE
	@mkdir -p $(@D)
	@echo '$(SODIUM_CFLAGS)' | cmp -s - $@ || echo '$(SODIUM_CFLAGS)' >$@
	@test -n '$(SODIUM_CFLAGS)' || echo "  libsodium is missing: built without authentication"

$(BUILD)/libseccomp: FORCE
	@mkdir -p $(@D)
	@echo '$(SECCOMP_CFLAGS)' | cmp -s - $@ || echo '$(SECCOMP_CFLAGS)' >$@
	@test -n '$(SECCOMP_CFLAGS)$(SANITIZE)' || \
		echo "  libseccomp is missing: built without a filter of system calls"

-include $(OBJECTS:.o=.d)

# --- Testing ---

check: quickcheck strict ## run all tests (root, or user namespaces, for the lab)
	@$(MAKE) --no-print-directory lab-programs
	@BIN=$(abspath $(BIN)) tests/lab/run

quickcheck: all $(BIN)/unit $(BIN)/accuracy layers abi replay ## run the tests that need no privileges
	$(BIN)/unit
	$(BIN)/accuracy --filters adaptive --seeds 40 --gate 3
	$(BIN)/accuracy --filters adaptive --seeds 10 --following
	@HARDEN='$(HARDEN)' CC='$(CC)' CFLAGS='$(CPPFLAGS) $(CFLAGS)' LDFLAGS='$(LDFLAGS)' \
		SANITIZE='$(SANITIZE)' tests/hardening check $(PROGRAMS) $(SHARED)
	@BIN=$(abspath $(BIN)) tests/vectors/ns3/check
	@BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) tests/completion
	@BUILD=$(BUILD) MAKE='$(MAKE)' tests/installed

# What fuzzing starts from and what it once found.
replay: $(FUZZERS:%=$(BIN)/replay_%) $(BIN)/datagrams $(BIN)/forgeries
	@$(BIN)/datagrams 300000
	@$(BIN)/forgeries 300000
	@$(BIN)/replay_push -m 10000 tests/fuzz/corpus/push/*
	@$(BIN)/replay_dissect tests/fuzz/corpus/dissect/*
	@$(BIN)/replay_capture tests/vectors/*.pcap* tests/fuzz/corpus/capture/*

# FUZZ_SECONDS each; what is found is left in build/fuzz.
FUZZ_SECONDS ?= 60
FUZZ_SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined

fuzz: ## run libFuzzer on trains, datagrams, the dissector and captures (clang; FUZZ_SECONDS=60 each)
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang \
		SANITIZE='$(FUZZ_SANITIZE) -fsanitize=fuzzer-no-link' \
		$(FUZZERS:%=build/fuzz/bin/fuzz_%)
	@mkdir -p $(FUZZERS:%=build/fuzz/corpus/%)
	cd build/fuzz && bin/fuzz_push -max_total_time=$(FUZZ_SECONDS) -max_len=2048 -verbosity=0 \
		-print_final_stats=1 corpus/push $(abspath tests/fuzz/corpus/push)
	cd build/fuzz && bin/fuzz_datagram -max_total_time=$(FUZZ_SECONDS) -max_len=2048 -verbosity=0 \
		-print_final_stats=1 corpus/datagram
	cd build/fuzz && bin/fuzz_dissect -max_total_time=$(FUZZ_SECONDS) -max_len=256 -verbosity=0 \
		-print_final_stats=1 corpus/dissect $(abspath tests/fuzz/corpus/dissect)
	cd build/fuzz && bin/fuzz_capture -max_total_time=$(FUZZ_SECONDS) -max_len=16384 -verbosity=0 \
		-print_final_stats=1 -close_fd_mask=1 corpus/capture $(abspath tests/vectors tests/fuzz/corpus/capture)

# MUTATIONS captures made from those of tests/vectors, under both sanitizers.
MUTATIONS ?= 100000

mutate: ## run on mutated captures (MUTATIONS=100000, PP_SEED)
	@$(MAKE) --no-print-directory BUILD=build/mutate CC=clang SANITIZE='$(FUZZ_SANITIZE)' \
		build/mutate/bin/replay_capture
	build/mutate/bin/replay_capture -m $(MUTATIONS) tests/vectors/*.pcap* tests/fuzz/corpus/capture/*

junk: ## feed 10 million datagrams of junk, and 10 million forgeries, under sanitizers
	@$(MAKE) --no-print-directory BUILD=build/mutate CC=clang SANITIZE='$(FUZZ_SANITIZE)' \
		build/mutate/bin/datagrams build/mutate/bin/forgeries
	build/mutate/bin/datagrams
	build/mutate/bin/forgeries

abi: all ## check what the shared library exports, and programs outside this tree
	@BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' tests/abi/run

layers: $(OBJECTS) ## check who includes and calls whom
	@BUILD=$(BUILD) CC='$(CC)' tests/layers

# No warning from either compiler.
strict:
	@for compiler in gcc clang; do \
		$(MAKE) --no-print-directory BUILD=build/$$compiler CC=$$compiler CFLAGS='-O1 -Werror' \
			strict-objects || exit 1; \
	done

FORCE:

strict-objects: $(OBJECTS)

lab-programs: all $(BIN)/relay $(BIN)/train $(BIN)/sink $(BIN)/egress $(BIN)/flood $(BIN)/copy $(BIN)/layered_send \
		$(BIN)/layered_receive $(BIN)/rtp $(BIN)/poll ## build what tests/lab needs

asan: ## run the unit and lab tests with the address sanitizer
	@$(MAKE) --no-print-directory sanitized BUILD=build/asan \
		SANITIZE='-fsanitize=address -fno-omit-frame-pointer'

ubsan: ## run the unit and lab tests with the undefined-behaviour sanitizer
	@$(MAKE) --no-print-directory sanitized BUILD=build/ubsan \
		SANITIZE='-fsanitize=undefined -fno-sanitize-recover=undefined'

confined: lab-programs ## run the lab tests with a filter of system calls that ends pprec
	@BIN=$(abspath $(BIN)) tests/lab/confined

# SOAK_SECONDS under every attack.
SOAK_SECONDS ?= 1200

siege: lab-programs $(BIN)/copycat ## measure beside every attack there is, for 20 minutes (SOAK_SECONDS=1200)
	@BIN=$(abspath $(BIN)) tests/lab/siege $(SOAK_SECONDS)

# What is about behaviour; figures of speed and precision are not a sanitizer's.
sanitized: lab-programs $(BIN)/unit replay
	$(BIN)/unit
	@BIN=$(abspath $(BIN)) PP_BIN=$(abspath $(BIN)) PP_TRAINS=100 tests/lab/run \
		$(patsubst %,tests/lab/test_%.sh,$(LAB_BEHAVIOUR))

# (test_examples loads the shared library, which a sanitizer cannot be preloaded for.)
LAB_BEHAVIOUR = capture classic impaired junk live log media metrics stall streams usage

accuracy: $(BIN)/accuracy ## compare filters and the rules of the field on simulated paths
	@$(BIN)/accuracy --held-back --seeds 150

tsan: ## run handles in threads with the thread sanitizer
	@$(MAKE) --no-print-directory build/tsan/bin/unit BUILD=build/tsan SANITIZE=-fsanitize=thread
	CK_RUN_SUITE=threads build/tsan/bin/unit

cross: ## build for i386, armhf and s390x, and run the unit tests of the first and the last
	@CROSS_DIR=$(abspath $(BUILD))/cross MAKE='$(MAKE)' tests/cross

demo: lab-programs ## measure a 10 Mbit/s path made of network namespaces
	@BIN=$(abspath $(BIN)) tests/lab/demo

pictures: all $(BIN)/accuracy ## draw the pictures of the pages, from simulated captures
	@BIN=$(abspath $(BIN)) tests/sim/pictures $(BUILD)/pictures

# LAB=kept: with the lab's logs as they are kept, for whoever has no lab or no time.
LAB ?= run
PAPER_LOGS = tests/vectors/paper

paper: lab-programs $(BIN)/bench ## do the paper again: plots/paper.md (LAB=kept: without the lab)
	@BIN=$(abspath $(BIN)) tests/vectors/ns3/logs $(BUILD)/paper/ns3
ifeq ($(LAB),run)
	@BIN=$(abspath $(BIN)) tests/lab/paper_lab $(abspath $(PAPER_LOGS)) || [ $$? -eq 77 ]
	@BIN=$(abspath $(BIN)) tests/lab/size_sweep $(abspath $(PAPER_LOGS)/sweep) || [ $$? -eq 77 ]
endif
	@plots/paper/page $(BUILD)/paper/ns3 $(PAPER_LOGS) tests/vectors/ns3/scenarios plots
	@echo "page      plots/paper.md"

bench: all ## compare speed and cost with bare loops and with iperf3
	@$(MAKE) --no-print-directory $(BIN)/bench $(BIN)/capture
	@BIN=$(abspath $(BIN)) tests/bench/run
	@BIN=$(abspath $(BIN)) tests/bench/captures
	@BIN=$(abspath $(BIN)) tests/bench/watched

sim: ## run the paper's scenarios in ns-3, where it is, and compare with the kept captures
	@BUILD=$(abspath $(BUILD)) CC='$(CC)' CXX='$(CXX)' tests/sim/ns3/run || [ $$? -eq 77 ]

# --- Installing ---

UNITS = $(patsubst %.in,%,$(notdir $(wildcard pprec/service/*.in pptrans/service/*.in)))

$(BUILD)/units/%.service: FORCE
	@mkdir -p $(@D)
	@sed -e '/@SANDBOX@/{r common/service.sandbox' -e 'd;}' $(wildcard */service/$*.service.in) | \
		sed -e 's|@BINDIR@|$(BINDIR)|' -e 's|@SYSCONFDIR@|$(SYSCONFDIR)|g' >$@

# Enabling one is left to the operator: a port, an interface or a host is in its name.
install-service: $(UNITS:%=$(BUILD)/units/%) ## install systemd units, their options, and logrotate's
	$(INSTALL) -d $(DESTDIR)$(UNITDIR) $(DESTDIR)$(SYSCONFDIR)/default $(DESTDIR)$(SYSCONFDIR)/logrotate.d
	$(INSTALL) -m 644 $^ $(DESTDIR)$(UNITDIR)
	$(INSTALL) -m 644 pprec/service/pprec.default $(DESTDIR)$(SYSCONFDIR)/default/pprec
	$(INSTALL) -m 644 pptrans/service/pptrans.default $(DESTDIR)$(SYSCONFDIR)/default/pptrans
	$(INSTALL) -m 644 pprec/service/pprec.logrotate $(DESTDIR)$(SYSCONFDIR)/logrotate.d/pprec

$(BUILD)/pprec.pc: pprec/pprec.pc.in FORCE
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		-e '$(if $(SODIUM_LIBS),,/^Requires.private/d)' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' $< >$@

install: install-library install-plots ## install to DESTDIR and PREFIX
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -m 755 $(PROGRAMS) $(DESTDIR)$(BINDIR)
	$(INSTALL) -m 644 pptrans/pptrans.1 pprec/pprec.1 $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -d $(DESTDIR)$(BASHCOMPDIR) $(DESTDIR)$(ZSHCOMPDIR)
	@for name in pptrans pprec; do \
		$(INSTALL) -m 644 $(BUILD)/completion/$$name.bash $(DESTDIR)$(BASHCOMPDIR)/$$name && \
		$(INSTALL) -m 644 $(BUILD)/completion/$$name.zsh $(DESTDIR)$(ZSHCOMPDIR)/_$$name || exit 1; \
	done
	$(INSTALL) -d $(DESTDIR)$(DATADIR)/prometheus
	$(INSTALL) -m 644 $(wildcard pprec/prometheus/*) $(DESTDIR)$(DATADIR)/prometheus

# It finds its parts beside itself, and is called by a name that says whose logs it draws.
install-plots:
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(DATADIR)/plots $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -m 755 plots/plot $(DESTDIR)$(DATADIR)/plots
	$(INSTALL) -m 644 $(wildcard plots/*.awk plots/*.gp) $(DESTDIR)$(DATADIR)/plots
	ln -sfr $(DESTDIR)$(DATADIR)/plots/plot $(DESTDIR)$(BINDIR)/pprec-plot
	$(INSTALL) -m 644 plots/pprec-plot.1 $(DESTDIR)$(MANDIR)/man1

# Every function has a page: that of the library.
MAN3 = $(sort $(patsubst %_sized,%,$(shell cat pprec/libpprec.symbols)))

install-library: all $(BUILD)/pprec.pc ## install the library alone (then run ldconfig)
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/pprec/adapters $(DESTDIR)$(MANDIR)/man3
	$(INSTALL) -m 644 $(BUILD)/libpprec.a $(SHARED) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(SHARED)) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libpprec.so
	$(INSTALL) -m 644 $(BUILD)/pprec.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) -m 644 pprec/pprec.h $(DESTDIR)$(INCLUDEDIR)/pprec
	$(INSTALL) -m 644 pprec/adapters/*.h $(DESTDIR)$(INCLUDEDIR)/pprec/adapters
	$(INSTALL) -m 644 pprec/pprec.3 $(DESTDIR)$(MANDIR)/man3
	@for name in $(MAN3); do echo .so man3/pprec.3 >$(DESTDIR)$(MANDIR)/man3/$$name.3; done

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,pptrans pprec pprec-plot)
	rm -f $(addprefix $(DESTDIR)$(BASHCOMPDIR)/,pptrans pprec) $(addprefix $(DESTDIR)$(ZSHCOMPDIR)/_,pptrans pprec)
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/,$(UNITS)) $(DESTDIR)$(SYSCONFDIR)/logrotate.d/pprec
	rm -f $(DESTDIR)$(LIBDIR)/libpprec.a $(DESTDIR)$(LIBDIR)/libpprec.so*
	rm -f $(DESTDIR)$(LIBDIR)/pkgconfig/pprec.pc $(DESTDIR)$(INCLUDEDIR)/pprec/pprec.h
	rm -f $(addprefix $(DESTDIR)$(INCLUDEDIR)/pprec/adapters/,$(notdir $(wildcard pprec/adapters/*.h)))
	rm -f $(DESTDIR)$(MANDIR)/man3/pprec.3 $(patsubst %,$(DESTDIR)$(MANDIR)/man3/%.3,$(MAN3))
	rm -f $(addprefix $(DESTDIR)$(MANDIR)/man1/,pptrans.1 pprec.1 pprec-plot.1)
	rm -f $(addprefix $(DESTDIR)$(DATADIR)/prometheus/,$(notdir $(wildcard pprec/prometheus/*)))
	rm -f $(DESTDIR)$(DATADIR)/plots/plot $(addprefix $(DESTDIR)$(DATADIR)/,$(wildcard plots/*.awk plots/*.gp))
	-rmdir $(addprefix $(DESTDIR)$(DATADIR)/,prometheus plots) $(DESTDIR)$(DATADIR)
	-rmdir $(DESTDIR)$(INCLUDEDIR)/pprec/adapters $(DESTDIR)$(INCLUDEDIR)/pprec

distcheck: ## build, test, install and uninstall from a source archive
	@VERSION=$(VERSION) BUILD=$(BUILD) tests/distcheck

reproducible: ## build in two directories: the same bytes
	@tests/reproducible

deb: ## build the Debian packages (to DEB_DIR, if given), check them, try what they install
	@DEB_DIR=$(DEB_DIR) tests/deb || [ $$? -eq 77 ]

clean: ## remove everything that was built
	rm -rf build

# What is missing, and nothing else; quiet where all is there. A picture of the demo is not worth the 52
# packages that gnuplot brings: it comes with the tests.
DEBIAN = gcc make pkg-config libc6-dev libevent-dev libpcap-dev libsodium-dev libseccomp-dev iproute2 ethtool util-linux
FEDORA = gcc make pkgconf-pkg-config glibc-devel libevent-devel libpcap-devel libsodium-devel libseccomp-devel \
	iproute iproute-tc ethtool util-linux
DEBIAN_TEST = clang check tcpdump iperf3 gnuplot-nox strace procps prometheus curl jq python3-pyte \
	srt-tools gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
FEDORA_TEST = clang check-devel tcpdump iperf3 gnuplot strace procps-ng golang-github-prometheus curl jq \
	python3-pyte srt gstreamer1 gstreamer1-plugins-base gstreamer1-plugins-good perl-interpreter

deps: ## install what building and the demo need (Debian, Ubuntu, Fedora)
	@tests/deps "$(DEBIAN)" "$(FEDORA)"

deps-test: ## install that and what the tests need
	@tests/deps "$(DEBIAN) $(DEBIAN_TEST)" "$(FEDORA) $(FEDORA_TEST)"

# For tests of what few need, which say SKIP without.
deps-service: deps ## install what tests the units and completions
	@tests/deps "systemd logrotate zsh" "systemd logrotate zsh"

deps-package: deps ## install what builds and checks the Debian packages
	@tests/deps "build-essential dpkg-dev debhelper lintian fakeroot check" "dpkg-dev debhelper"

deps-cross: deps ## install what make cross needs (Debian, Ubuntu)
	@tests/deps "gcc-i686-linux-gnu gcc-arm-linux-gnueabihf gcc-s390x-linux-gnu qemu-user"

# Even with -j nothing is built before it can be.
DEPS = $(filter deps deps-%,$(MAKECMDGOALS))
ifneq ($(DEPS),)
$(OBJECTS) $(BUILD)/libsodium $(BUILD)/libseccomp strict abi fuzz mutate junk asan ubsan tsan sim distcheck reproducible deb cross: | $(DEPS)
endif

.PHONY: FORCE all abi help check quickcheck strict strict-objects layers lab-programs asan ubsan tsan \
	confined siege sanitized accuracy demo pictures paper bench sim replay fuzz mutate junk install install-library \
	install-plots install-service uninstall distcheck reproducible clean cross deb deps deps-test deps-service deps-package deps-cross
