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
RELOCATABLE = $(call asks,RELOCATABLE,relocatable)
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)

processor = $(firstword $(subst -, ,$(shell $(1) -dumpmachine 2>/dev/null)))
CROSS =
ifneq ($(origin CC),default)
CROSS := $(and $(call processor,$(CC_FOR_BUILD)),$(filter-out $(call processor,$(CC_FOR_BUILD)),$(call processor,$(CC))))
endif
# Asked once, and only by what compiles.
NEEDS_LINUX = $(eval SYSTEM := $(shell $(CC) -dumpmachine 2>/dev/null || uname -s))$(eval NEEDS_LINUX := \
	$(if $(findstring linux,$(SYSTEM))$(findstring Linux,$(SYSTEM)),,$$(error \
	pptrans and pprec need Linux, whose kernel stamps packets: this is $(SYSTEM))))$(NEEDS_LINUX)

# libpprec-core, and nothing else of this, is for Windows as well. Its compilers know no way to harden that
# does without a library.
MINGW := $(findstring mingw,$(CC))
ifneq ($(MINGW),)
HARDEN = no
core: NEEDS_LINUX =
WARNINGS += -Wno-float-conversion # its isnan() is a macro that has one for each type
endif
ifneq ($(findstring musl,$(CC)),)
WARNINGS += -Wno-sign-conversion # its CMSG_NXTHDR() has one
endif

VERSION := $(shell sed -n 's/.*PPREC_VERSION "\(.*\)"/\1/p' pprec/core.h)

# Expanded when a command runs, so that `make deps all` finds what deps installed.
EVENT_CFLAGS = $(shell $(PKG_CONFIG) --cflags libevent_extra)
EVENT_LIBS = $(shell $(PKG_CONFIG) --libs libevent_core libevent_extra)
PCAP_LIBS = $(shell $(PKG_CONFIG) --libs libpcap) $(UNPACK_LIBS)
# Each optional: without it captures that it would unpack are refused by name.
unpacks = $(shell ! $(PKG_CONFIG) --exists $(1) || echo -DWITH_$(2) `$(PKG_CONFIG) --cflags $(1)`)
UNPACK_CFLAGS = $(call unpacks,zlib,ZLIB) $(call unpacks,libzstd,ZSTD) $(call unpacks,liblzma,LZMA)
UNPACK_LIBS = $(foreach each,zlib libzstd liblzma,$(shell $(PKG_CONFIG) --silence-errors --libs $(each)))
# Optional: without it nothing is signed or verified, and --key-file says so.
SODIUM_CFLAGS = $(shell $(PKG_CONFIG) --exists libsodium && echo -DAUTH_SODIUM \
	`$(PKG_CONFIG) --cflags libsodium`)
SODIUM_LIBS = $(shell $(PKG_CONFIG) --silence-errors --libs libsodium)
COMMON_LIBS = $(SODIUM_LIBS) -lm
# Optional: without it pprec goes without a filter of system calls. Sanitizers make calls of their own.
SECCOMP_CFLAGS = $(if $(SANITIZE),,$(shell $(PKG_CONFIG) --exists libseccomp && echo -DWITH_SECCOMP \
	`$(PKG_CONFIG) --cflags libseccomp`))
SECCOMP_LIBS = $(if $(SANITIZE),,$(shell $(PKG_CONFIG) --silence-errors --libs libseccomp))
# Optional, for targets of their own: the GStreamer element, and an example.
GST_MODULES = gstreamer-1.0 gstreamer-base-1.0 gstreamer-net-1.0
GST_CFLAGS = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(GST_MODULES) gio-2.0))
GST_LIBS = $(shell $(PKG_CONFIG) --libs $(GST_MODULES) gio-2.0)
GSTPLUGINDIR ?= $(shell $(PKG_CONFIG) --silence-errors --variable=pluginsdir gstreamer-1.0)
UV_CFLAGS = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libuv))
UV_LIBS = $(shell $(PKG_CONFIG) --libs libuv)
has = $(PKG_CONFIG) --exists $(1)
CHECK_CFLAGS = $(shell $(PKG_CONFIG) --cflags check)
CHECK_LIBS = $(shell $(PKG_CONFIG) --libs check)

sources = $(sort $(foreach room,$(1),$(wildcard $(room)/*.c)))
objects = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))

# On 32 bits logs may pass 2 GiB, and time 2038. But libpcap and libevent are compiled with the
# system's own time_t: so is what gives them a struct timeval, or takes one.
WIDE = -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
TIMEVAL = $(addprefix $(BUILD)/,pprec/lib/capture_filter.o pprec/lib/capture_live.o \
	pprec/cmd/loop.o pprec/cmd/server.o tests/lab/egress.o tests/lab/left.o tests/sim/capture.o \
	tests/unit/test_sim_judge.o tests/bench/capture/capture.o)
$(TIMEVAL): WIDE = -D_FILE_OFFSET_BITS=64

# libpprec-core is the library without what opens sockets, reads captures or wants another library;
# with a stand-in for what checks keys.
CORE_ONLY = $(BUILD)/pprec/lib/guard_none.o
LIBRARY = $(filter-out $(CORE_ONLY),$(call objects,pprec/lib filters common))
SOURCES_OF_ITS_OWN = $(patsubst %,$(BUILD)/pprec/lib/%.o,capture capture_file capture_filter capture_format \
	capture_input capture_live capture_unpack dissect guard link \
	membership replays route socket source)
CORE_COMMON = $(patsubst %,$(BUILD)/common/%.o,control error keyed_hash layer stamp wire)
CORE_POSIX = $(addprefix $(BUILD)/,common/control.o common/stamp.o pprec/lib/message.o)
CORE = $(filter-out $(SOURCES_OF_ITS_OWN) $(if $(MINGW),$(CORE_POSIX)), $(CORE_COMMON) $(CORE_ONLY) \
	$(filter $(BUILD)/pprec/lib/% $(BUILD)/filters/%,$(LIBRARY)))
PPREC = $(call objects,pprec/cmd)
PPTRANS_MAIN = $(BUILD)/pptrans/main.o
PPTRANS = $(filter-out $(PPTRANS_MAIN),$(call objects,pptrans))
UV_EXAMPLE = $(BUILD)/pprec/examples/libuv.o
EXAMPLES = $(filter-out $(UV_EXAMPLE),$(call objects,pprec/examples))
GSTREAMER = $(call objects,pprec/gstreamer)
GST_PLUGIN = $(BUILD)/gstreamer/libgstpprec.so
LAB_OBJECTS = $(call objects,tests/lab tests/bench/capture)
RELAY = $(filter $(BUILD)/tests/lab/relay%,$(LAB_OBJECTS))
RELAY_PARTS = $(addprefix $(BUILD)/tests/lab/relay_,fair.o frame.o link.o path.o)
UNIT = $(call objects,tests/unit)
SIM_MAINS = $(addprefix $(BUILD)/tests/sim/,accuracy.o locate_main.o media.o)
SIM = $(filter-out $(SIM_MAINS),$(call objects,tests/sim))
BENCH = $(call objects,tests/bench)
OBJECTS = $(LIBRARY) $(CORE_ONLY) $(PPREC) $(EXAMPLES) $(PPTRANS_MAIN) $(PPTRANS) $(LAB_OBJECTS) $(UNIT) $(FUZZ) $(BENCH) \
	$(SIM) $(SIM_MAINS) $(COMPLETE)

# The major version of the ABI: it changes when programs must be compiled anew.
SONAME = libpprec.so.0
SHARED = $(BUILD)/libpprec.so.$(VERSION)
CORE_SONAME = libpprec-core.so.0
CORE_SHARED = $(BUILD)/$(if $(MINGW),libpprec-core-0.dll,libpprec-core.so.$(VERSION))
# What is inside libpprec.a by the names it has here: for programs of this tree.
PARTS = $(BUILD)/parts.a

FUZZERS = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ = $(call objects,tests/fuzz)
FUZZ_PARTS = $(addprefix $(BUILD)/tests/,fuzz/exact.o fuzz/figures.o fuzz/junk.o fuzz/measurement.o \
	fuzz/trains.o unit/random.o)

COMPLETE = $(call objects,pprec/cmd/complete pptrans/complete)
COMPLETIONS = $(BUILD)/completion/pprec.bash $(BUILD)/completion/pprec.zsh \
	$(BUILD)/completion/pptrans.bash $(BUILD)/completion/pptrans.zsh

BIN = $(BUILD)/bin
PROGRAMS = $(BIN)/pptrans $(BIN)/pprec

all: $(PROGRAMS) $(BUILD)/libpprec.a $(SHARED) core $(COMPLETIONS) ## build the programs and the libraries

core: $(BUILD)/libpprec-core.a $(CORE_SHARED) ## build libpprec-core alone: it wants the C library, and nothing else

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | sort | expand -t 18

# --- Building ---

$(BIN)/pprec: $(PPREC) $(PARTS)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -pthread -o $@ $^ $(EVENT_LIBS) $(SECCOMP_LIBS) $(PCAP_LIBS) $(COMMON_LIBS)

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

$(PARTS): $(LIBRARY)
	@echo "  AR $@"
	@rm -f $@ && $(AR) rcsD $@ $^

# In one piece, so that names of its own end at its edge: a program may have a stream_new(), too.
$(BUILD)/libpprec.a: $(LIBRARY)
$(BUILD)/libpprec-core.a: $(CORE)
$(BUILD)/libpprec.a $(BUILD)/libpprec-core.a:
	@echo "  AR $@"
	@rm -f $@
	@$(CC) $(CFLAGS) -fPIC $(RELOCATABLE) -r -nostdlib -o $(@:.a=.o) $^
	@$(OBJCOPY) --wildcard --keep-global-symbol='pprec_*' $(@:.a=.o)
	@$(AR) rcsD $@ $(@:.a=.o)

$(BUILD)/libpprec-core.so.$(VERSION): $(CORE) pprec/libpprec-core.map
	@echo "  LD $@"
	@$(CC) $(filter-out -pie,$(ALL_LDFLAGS)) -shared -Wl,-soname,$(CORE_SONAME) -Wl,-z,defs \
		-Wl,--version-script=pprec/libpprec-core.map -o $@ $(CORE) -lm

# Exports what is global in the archive.
$(BUILD)/libpprec-core-0.dll: $(BUILD)/libpprec-core.a
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -shared -static-libgcc -Wl,--out-implib,$(BUILD)/libpprec-core.dll.a -o $@ $(<:.a=.o)

$(BIN)/layered_receive: $(BUILD)/pprec/examples/layers.o
$(BIN)/rate_receive: $(BUILD)/pprec/examples/controller.o
$(BIN)/layered_send $(BIN)/layered_receive $(BIN)/rtp $(BIN)/poll $(BIN)/rate_send $(BIN)/rate_receive: $(BIN)/%: $(BUILD)/pprec/examples/%.o \
		$(BUILD)/libpprec.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libpprec.a $(PCAP_LIBS) $(COMMON_LIBS)

$(SHARED): $(LIBRARY) pprec/libpprec.map
	@echo "  LD $@"
	@$(CC) $(filter-out -pie,$(ALL_LDFLAGS)) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=pprec/libpprec.map \
		-o $@ $(LIBRARY) $(PCAP_LIBS) $(COMMON_LIBS)

# For programs that are not ours to change: LD_PRELOAD.
$(BIN)/srt_preload.so: $(BUILD)/pprec/examples/srt_preload.o $(BUILD)/libpprec-core.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(filter-out -pie,$(ALL_LDFLAGS)) -shared -Wl,--exclude-libs,ALL -o $@ $^ -ldl -lm
$(BUILD)/pprec/examples/srt_preload.o: EXTRA_CFLAGS = -fPIC

$(BIN)/libuv: $(UV_EXAMPLE) $(BUILD)/libpprec-core.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(UV_LIBS) -lm
$(UV_EXAMPLE): EXTRA_CFLAGS = $(UV_CFLAGS)

# GStreamer's plugin has the library inside: it is found by no path of a linker.
gstreamer: ## build the GStreamer element
	@$(call has,$(GST_MODULES)) || { echo "gstreamer: GStreamer's headers are missing: make deps-gstreamer" >&2; exit 1; }
	@$(MAKE) --no-print-directory $(GST_PLUGIN)

$(GST_PLUGIN): $(GSTREAMER) $(BUILD)/libpprec-core.a
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(filter-out -pie,$(ALL_LDFLAGS)) -shared -Wl,-z,defs -Wl,--exclude-libs,ALL -o $@ $^ $(GST_LIBS) -lm
$(GSTREAMER): EXTRA_CFLAGS = -fPIC -fvisibility=hidden $(GST_CFLAGS)

$(BIN)/gstreamer: $(BUILD)/tests/gstreamer/element.o $(GST_PLUGIN)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -pthread -o $@ $< $(GST_LIBS) $(shell $(PKG_CONFIG) --libs gstreamer-check-1.0)
$(BUILD)/tests/gstreamer/%.o: EXTRA_CFLAGS = $(GST_CFLAGS)

$(BIN)/relay: $(RELAY) $(call objects,common)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(COMMON_LIBS)

$(BIN)/train $(BIN)/sink $(BIN)/flood $(BIN)/copy $(BIN)/copycat $(BIN)/cross: $(BIN)/%: $(BUILD)/tests/lab/%.o $(call objects,common)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(COMMON_LIBS)

$(BIN)/congestion: $(BUILD)/tests/lab/congestion.o $(BUILD)/libpprec.a
$(BIN)/egress: $(BUILD)/tests/lab/egress.o $(call objects,common)
$(BIN)/left: $(BUILD)/tests/lab/left.o $(call objects,common)
$(BIN)/capture: $(BUILD)/tests/bench/capture/capture.o $(call objects,common)
$(BIN)/egress $(BIN)/left $(BIN)/capture $(BIN)/congestion:
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/unit: $(UNIT) $(SIM) $(PPTRANS) $(filter-out $(BUILD)/pprec/cmd/main.o,$(PPREC)) \
		$(RELAY_PARTS) $(BUILD)/pprec/examples/layers.o $(BUILD)/pprec/examples/controller.o $(PARTS)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) $(COUNT_ALLOCATIONS) -pthread -o $@ $^ $(CHECK_LIBS) $(EVENT_LIBS) $(SECCOMP_LIBS) $(PCAP_LIBS) $(COMMON_LIBS)

COUNT_ALLOCATIONS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc # tests/unit/allocations.c

$(BIN)/accuracy: $(BUILD)/tests/sim/accuracy.o $(SIM) $(PARTS)
$(BIN)/media: $(BUILD)/tests/sim/media.o $(SIM) $(PARTS)
$(BIN)/locate: $(BUILD)/tests/sim/locate_main.o $(SIM) $(PARTS)
$(BIN)/accuracy $(BIN)/locate $(BIN)/media:
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) -pthread $(COMMON_LIBS)

$(BIN)/bench: $(BENCH) $(PPTRANS) $(PARTS)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

# The same objects go into all libraries; what the public headers do not declare stays inside.
$(LIBRARY) $(CORE_ONLY): ALL_CFLAGS += -fPIC -fvisibility=hidden
$(LIBRARY) $(CORE_ONLY): Makefile

# What a fuzzer tries beside the library.
$(BIN)/fuzz_http $(BIN)/replay_http: $(BUILD)/tests/fuzz/answer.o $(BUILD)/tests/fuzz/page.o \
		$(filter-out $(BUILD)/pprec/cmd/main.o,$(PPREC))
$(BIN)/fuzz_http $(BIN)/replay_http: FUZZ_LIBS = $(EVENT_LIBS) $(SECCOMP_LIBS)
$(BIN)/fuzz_options $(BIN)/replay_options: $(BUILD)/pprec/cmd/options.o $(PPTRANS)
$(BIN)/fuzz_path $(BIN)/replay_path: $(SIM)
$(foreach it,push path capture,$(BIN)/fuzz_$(it) $(BIN)/replay_$(it)): $(BUILD)/tests/fuzz/sinks.o \
		$(BUILD)/tests/unit/json.o $(addprefix $(BUILD)/pprec/cmd/,hops.o line.o format_fields.o format_human.o format_log.o)

$(BIN)/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(FUZZ_PARTS) \
		$(PARTS)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(PARTS) $(FUZZ_LIBS) $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/datagrams: $(BUILD)/tests/fuzz/datagrams.o $(BUILD)/tests/fuzz/fuzz_datagram.o $(FUZZ_PARTS) \
		$(PARTS)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/forgeries: $(BUILD)/tests/fuzz/forgeries.o $(FUZZ_PARTS) $(PARTS)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PCAP_LIBS) $(COMMON_LIBS)

$(BIN)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(FUZZ_PARTS) $(PARTS)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(PARTS) $(FUZZ_LIBS) \
		$(PCAP_LIBS) $(COMMON_LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/common/auth.o: EXTRA_CFLAGS = $(SODIUM_CFLAGS)
$(BUILD)/common/auth.o: $(BUILD)/libsodium
$(BUILD)/pprec/lib/capture_unpack.o: EXTRA_CFLAGS = $(UNPACK_CFLAGS)
$(BUILD)/pprec/lib/capture_unpack.o: $(BUILD)/unpack
$(BUILD)/pptrans/%.o: EXTRA_CFLAGS = -DPP_VERSION='"$(VERSION)"'
$(BUILD)/pprec/cmd/%.o: EXTRA_CFLAGS = $(EVENT_CFLAGS)
$(BUILD)/pprec/cmd/confine.o: EXTRA_CFLAGS = $(SECCOMP_CFLAGS)
$(BUILD)/pprec/cmd/confine.o: $(BUILD)/libseccomp
$(BUILD)/tests/unit/%.o: EXTRA_CFLAGS = $(CHECK_CFLAGS)
$(BUILD)/tests/fuzz/fuzz_http.o: EXTRA_CFLAGS = $(EVENT_CFLAGS)

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

$(BUILD)/unpack: FORCE
	@mkdir -p $(@D)
	@echo '$(UNPACK_CFLAGS)' | cmp -s - $@ || echo '$(UNPACK_CFLAGS)' >$@
	@for each in zlib:ZLIB libzstd:ZSTD liblzma:LZMA; do \
		case '$(UNPACK_CFLAGS)' in *WITH_$${each#*:}*) ;; \
		*) echo "  $${each%:*} is missing: built without reading what it would unpack" ;; esac; done

-include $(OBJECTS:.o=.d) $(GSTREAMER:.o=.d) $(UV_EXAMPLE:.o=.d) $(BUILD)/tests/gstreamer/element.d

# --- Testing ---

check: quickcheck strict core-musl ## run all tests (root, or user namespaces, for the lab)
	@$(MAKE) --no-print-directory lab-programs
	@BIN=$(abspath $(BIN)) tests/lab/run

quickcheck: all $(BIN)/unit $(BIN)/accuracy $(BIN)/locate layers abi replay ## run the tests that need no privileges
	$(BIN)/unit
	$(BIN)/accuracy --filters adaptive --seeds 40 --gate 3
	$(BIN)/accuracy --filters adaptive --seeds 10 --following
	$(BIN)/accuracy --available=one --seeds 10 --gate 1
	$(BIN)/accuracy --available=t --seeds 10 --gate 1
	$(BIN)/locate --seeds 12 --gate
	@HARDEN='$(HARDEN)' CC='$(CC)' CFLAGS='$(CPPFLAGS) $(CFLAGS)' LDFLAGS='$(LDFLAGS)' \
		SANITIZE='$(SANITIZE)' tests/hardening check $(PROGRAMS) $(SHARED) $(CORE_SHARED)
	@BIN=$(abspath $(BIN)) tests/vectors/ns3/check
	@BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) tests/completion
	@BUILD=$(BUILD) MAKE='$(MAKE)' tests/installed

docs-check: all lab-programs ## run the commands that pages invite to paste, in the lab
	@BIN=$(abspath $(BIN)) tests/lab/test_docs.sh

# What fuzzing starts from and what it once found.
replay: $(FUZZERS:%=$(BIN)/replay_%) $(BIN)/datagrams $(BIN)/forgeries
	@$(BIN)/datagrams 300000
	@$(BIN)/forgeries 300000
	@$(BIN)/replay_push -m 10000 tests/fuzz/corpus/push/*
	@$(BIN)/replay_media -m 10000 tests/fuzz/corpus/media/*
	@$(BIN)/replay_dissect tests/fuzz/corpus/dissect/*
	@$(BIN)/replay_capture tests/vectors/*.pcap* tests/fuzz/corpus/capture/*
	@$(BIN)/replay_http -m 5000 tests/fuzz/corpus/http/*
	@$(BIN)/replay_options -m 100000 tests/fuzz/corpus/options/*
	@$(BIN)/replay_path -m 1000 tests/fuzz/corpus/path/*

# FUZZ_SECONDS each; what is found, and what takes a minute, is left in build/fuzz.
FUZZ_SECONDS ?= 60
FUZZ_SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined
fuzzes = cd build/fuzz && bin/fuzz_$(1) -max_total_time=$(FUZZ_SECONDS) -max_len=$(2) -timeout=60 -verbosity=0 \
	-print_final_stats=1 corpus/$(1) $(abspath $(wildcard tests/fuzz/corpus/$(1)) $(3))

fuzz: ## run libFuzzer on trains, media, paths, datagrams, frames, captures, HTTP, options (FUZZ_SECONDS=60 each)
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang \
		SANITIZE='$(FUZZ_SANITIZE) -fsanitize=fuzzer-no-link' \
		$(FUZZERS:%=build/fuzz/bin/fuzz_%)
	@mkdir -p $(FUZZERS:%=build/fuzz/corpus/%)
	$(call fuzzes,push,2048)
	$(call fuzzes,media,2048)
	$(call fuzzes,path,1028)
	$(call fuzzes,datagram,2048)
	$(call fuzzes,dissect,256)
	$(call fuzzes,capture,16384,tests/vectors) -close_fd_mask=1
	$(call fuzzes,http,16384) -len_control=0
	$(call fuzzes,options,4096)

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

abi: all $(PARTS) ## check what the libraries export, and programs outside this tree
	@BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' tests/abi/run
	@BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' SANITIZE='$(SANITIZE)' tests/abi/core

core-musl core-mingw: core-%: core ## build libpprec-core with musl, or for Windows
	@BUILD=$(BUILD) CC='$(CC)' MAKE='$(MAKE)' tests/core $* || [ $$? -eq 77 ]

layers: $(OBJECTS) ## check who includes and calls whom
	@BUILD=$(BUILD) CC='$(CC)' CORE='$(CORE)' PORTABLE='$(filter-out $(CORE_POSIX),$(CORE))' tests/layers

# No warning from either compiler, and one layout.
strict: format-check
	@for compiler in gcc clang; do \
		$(MAKE) --no-print-directory BUILD=build/$$compiler CC=$$compiler CFLAGS='-O1 -Werror' \
			strict-objects || exit 1; \
	done

FORCE:

SOURCES_C = $(sort $(wildcard $(addsuffix /*.[ch],common filters pptrans pptrans/complete pprec pprec/* pprec/cmd/complete \
	pprec/python/src/pprec tests tests/* tests/bench/capture) tests/abi/*.cc tests/sim/ns3/*.cc tests/sim/ns3/*.h))

format: ## lay the code out as .clang-format says
	@clang-format -i $(SOURCES_C)

# Other versions lay out a few things otherwise.
format-check:
	@case "$$(clang-format --version 2>&1)" in \
	*' version 14.'*) clang-format --dry-run -Werror $(SOURCES_C) ;; \
	*) echo 'SKIP format: this wants clang-format 14' ;; \
	esac

strict-objects: $(OBJECTS)
	@! $(call has,$(GST_MODULES)) || $(MAKE) --no-print-directory -s $(GSTREAMER) $(BUILD)/tests/gstreamer/element.o
	@! $(call has,libuv) || $(MAKE) --no-print-directory -s $(UV_EXAMPLE)

lab-programs: all $(BIN)/relay $(BIN)/cross $(BIN)/train $(BIN)/sink $(BIN)/egress $(BIN)/left $(BIN)/flood $(BIN)/copy $(BIN)/layered_send \
		$(BIN)/layered_receive $(BIN)/rtp $(BIN)/poll $(BIN)/congestion $(BIN)/srt_preload.so $(BIN)/rate_send \
		$(BIN)/rate_receive ## build what tests/lab needs
	@! $(call has,$(GST_MODULES)) || $(MAKE) --no-print-directory -s $(GST_PLUGIN) $(BIN)/gstreamer
	@! $(call has,libuv) || $(MAKE) --no-print-directory -s $(BIN)/libuv

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

media: $(BIN)/media ## video through buckets and from senders that pace, simulated: what is told
	@$(BIN)/media

accuracy: $(BIN)/accuracy ## compare filters and the rules of the field on simulated paths
	@$(BIN)/accuracy --held-back --seeds 150
	@$(BIN)/accuracy --available --rivals --held-back --seeds 40

tsan: ## run handles in threads with the thread sanitizer
	@$(MAKE) --no-print-directory build/tsan/bin/unit BUILD=build/tsan SANITIZE=-fsanitize=thread
	CK_RUN_SUITE=threads build/tsan/bin/unit

cross: core-mingw ## build for i386, armhf, s390x and, the core, Windows; run the unit tests of the first and third
	@CROSS_DIR=$(abspath $(BUILD))/cross NATIVE=$(BUILD)/libpprec-core.a MAKE='$(MAKE)' tests/cross

demo: lab-programs ## measure a 10 Mbit/s path made of network namespaces
	@BIN=$(abspath $(BIN)) tests/lab/demo

pictures: all $(BIN)/accuracy $(BIN)/locate ## draw the pictures of the pages (docs/python.md: python-page)
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

# --- For other languages and programs: what tries them is not what builds this, and has targets of its own ---

PYTHON ?= python3
in_python = @BUILD=$(BUILD) VERSION=$(VERSION) PYTHON='$(PYTHON)' MAKE='$(MAKE)' pprec/python/build $(1)

python: all ## build the Python package: wheel and source archive, in build/python/dist
	$(call in_python,wheel)

python-check: all ## try the Python package, as wheel and from its source archive
	$(call in_python,check)

# SPARK_CAPTURES: how many are made and measured.
spark-check: all ## try pprec.spark on 1000 captures, by a Spark on this machine (SPARK_CAPTURES=1000)
	$(call in_python,spark) || [ $$? -eq 77 ]

python-page: all ## draw the pictures of docs/python.md
	$(call in_python,page)

wireshark-check: all ## try the dissector of Wireshark with tshark
	@BIN=$(abspath $(BIN)) pprec/wireshark/check || [ $$? -eq 77 ]

perfsonar-check: all ## try the test and the tool of pScheduler, as they are installed
	@$(MAKE) --no-print-directory -s install-perfsonar DESTDIR=$(abspath $(BUILD))/perfsonar PSCHEDULERDIR= >/dev/null
	@BIN=$(abspath $(BIN)) PLUGINS=$(abspath $(BUILD))/perfsonar/classes $(PYTHON) pprec/perfsonar/check

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

# What a static library wants.
PRIVATE = $(foreach each,libsodium zlib libzstd liblzma,$(shell ! $(PKG_CONFIG) --exists $(each) || echo $(each)))

$(BUILD)/%.pc: pprec/%.pc.in FORCE
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@PRIVATE@|$(strip $(PRIVATE))|' \
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

HEADERS = $(addprefix pprec/,pprec.h core.h source.h media.h)

# Every function has a page: that of the library.
MAN3 = $(sort $(patsubst %_sized,%,$(shell cat pprec/libpprec.symbols)))

install-library: all install-core $(BUILD)/pprec.pc ## install the libraries alone (then run ldconfig)
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/pprec/adapters $(DESTDIR)$(MANDIR)/man3
	$(INSTALL) -m 644 $(BUILD)/libpprec.a $(SHARED) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(SHARED)) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libpprec.so
	$(INSTALL) -m 644 $(BUILD)/pprec.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/pprec
	$(INSTALL) -m 644 pprec/adapters/*.h $(DESTDIR)$(INCLUDEDIR)/pprec/adapters
	$(INSTALL) -m 644 pprec/pprec.3 $(DESTDIR)$(MANDIR)/man3
	@for name in $(MAN3); do echo .so man3/pprec.3 >$(DESTDIR)$(MANDIR)/man3/$$name.3; done

# All that pushing wants.
CORE_HEADERS = pprec/core.h pprec/media.h

install-core: core $(BUILD)/pprec-core.pc ## install libpprec-core alone (then run ldconfig)
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/pprec
	$(INSTALL) -m 644 $(BUILD)/libpprec-core.a $(CORE_SHARED) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(CORE_SHARED)) $(DESTDIR)$(LIBDIR)/$(CORE_SONAME)
	ln -sf $(CORE_SONAME) $(DESTDIR)$(LIBDIR)/libpprec-core.so
	$(INSTALL) -m 644 $(BUILD)/pprec-core.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) -m 644 $(CORE_HEADERS) $(DESTDIR)$(INCLUDEDIR)/pprec

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,pptrans pprec pprec-plot)
	rm -f $(addprefix $(DESTDIR)$(BASHCOMPDIR)/,pptrans pprec) $(addprefix $(DESTDIR)$(ZSHCOMPDIR)/_,pptrans pprec)
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/,$(UNITS)) $(DESTDIR)$(SYSCONFDIR)/logrotate.d/pprec
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/libpprec,.a .so* -core.a -core.so*)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/pkgconfig/,pprec.pc pprec-core.pc) $(HEADERS:%=$(DESTDIR)$(INCLUDEDIR)/%)
	rm -f $(addprefix $(DESTDIR)$(INCLUDEDIR)/pprec/adapters/,$(notdir $(wildcard pprec/adapters/*.h)))
	rm -f $(DESTDIR)$(MANDIR)/man3/pprec.3 $(patsubst %,$(DESTDIR)$(MANDIR)/man3/%.3,$(MAN3))
	rm -f $(addprefix $(DESTDIR)$(MANDIR)/man1/,pptrans.1 pprec.1 pprec-plot.1)
	rm -f $(addprefix $(DESTDIR)$(DATADIR)/prometheus/,$(notdir $(wildcard pprec/prometheus/*)))
	rm -f $(DESTDIR)$(DATADIR)/plots/plot $(addprefix $(DESTDIR)$(DATADIR)/,$(wildcard plots/*.awk plots/*.gp))
	$(if $(GSTPLUGINDIR),rm -f $(DESTDIR)$(GSTPLUGINDIR)/libgstpprec.so)
	-rmdir $(addprefix $(DESTDIR)$(DATADIR)/,prometheus plots) $(DESTDIR)$(DATADIR)
	-rmdir $(DESTDIR)$(INCLUDEDIR)/pprec/adapters $(DESTDIR)$(INCLUDEDIR)/pprec

install-gstreamer: gstreamer ## install the GStreamer element where GStreamer looks for it
	$(INSTALL) -d $(DESTDIR)$(GSTPLUGINDIR)
	$(INSTALL) -m 644 $(GST_PLUGIN) $(DESTDIR)$(GSTPLUGINDIR)

PSCHEDULERDIR ?= /usr/libexec/pscheduler

# Each class is found by the directory it is in, and has all it wants there.
install-perfsonar: ## install pScheduler's test and tool (then run pscheduler internal warmboot)
	@for class in test/capacity tool/pprec; do \
		to=$(DESTDIR)$(PSCHEDULERDIR)/classes/$$class from=pprec/perfsonar/$${class#*/}; \
		rm -rf $$to && $(INSTALL) -d $$to && \
		$(INSTALL) -m 555 $$(find $$from -type f ! -name '*.py') $$to && \
		$(INSTALL) -m 444 pprec/perfsonar/plugin.py $$(find $$from -name '*.py') $$to && \
		sed -e 's/@VERSION@/$(VERSION)/' $$from/enumerate >$$to/enumerate.made && \
		$(INSTALL) -m 555 $$to/enumerate.made $$to/enumerate && rm -f $$to/enumerate.made || exit 1; \
	done

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
DEBIAN = gcc make pkg-config libc6-dev libevent-dev libpcap-dev libsodium-dev libseccomp-dev zlib1g-dev libzstd-dev \
	liblzma-dev iproute2 ethtool util-linux
FEDORA = gcc make pkgconf-pkg-config glibc-devel libevent-devel libpcap-devel libsodium-devel libseccomp-devel \
	zlib-devel libzstd-devel xz-devel iproute iproute-tc ethtool util-linux
DEBIAN_TEST = clang clang-format check libuv1-dev tcpdump iperf iperf3 zstd xz-utils gnuplot-nox strace procps prometheus curl jq python3-pyte \
	srt-tools gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
FEDORA_TEST = clang clang-tools-extra check-devel libuv-devel tcpdump iperf iperf3 zstd xz gnuplot strace procps-ng golang-github-prometheus curl jq \
	python3-pyte srt gstreamer1 gstreamer1-plugins-base gstreamer1-plugins-good perl-interpreter

deps: ## install what building and the demo need (Debian, Ubuntu, Fedora)
	@tests/deps "$(DEBIAN)" "$(FEDORA)"

deps-test: ## install that and what the tests need
	@tests/deps "$(DEBIAN) $(DEBIAN_TEST)" "$(FEDORA) $(FEDORA_TEST)"

# For tests of what few need, which say SKIP without.
deps-service: deps ## install what tests the units and completions
	@tests/deps "systemd logrotate zsh" "systemd logrotate zsh"

deps-gstreamer: deps ## install what builds and tests the GStreamer element
	@tests/deps "libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev gstreamer1.0-tools \
		gstreamer1.0-plugins-good gstreamer1.0-plugins-ugly" \
		"gstreamer1-devel gstreamer1-plugins-base-devel gstreamer1-plugins-good"

deps-python: deps ## install what builds and tests the Python package
	@tests/deps "python3-dev python3-venv" "python3-devel"

deps-spark: deps-python ## install what runs Spark
	@tests/deps "openjdk-17-jre-headless" "java-17-openjdk-headless"

deps-wireshark: deps ## install tshark
	@tests/deps "tshark" "wireshark-cli"

deps-fuzz: deps ## install what fuzz, mutate and junk need
	@tests/deps "clang libclang-rt-dev" "clang compiler-rt"

deps-package: deps ## install what builds and checks the Debian packages
	@tests/deps "build-essential dpkg-dev debhelper lintian fakeroot check" "dpkg-dev debhelper"

deps-core: deps ## install musl, to try libpprec-core with
	@tests/deps "musl-tools" "musl-gcc"

deps-cross: deps ## install what make cross needs (Debian, Ubuntu)
	@tests/deps "gcc-i686-linux-gnu gcc-arm-linux-gnueabihf gcc-s390x-linux-gnu gcc-mingw-w64-x86-64-win32 qemu-user"

# Even with -j nothing is built before it can be.
DEPS = $(filter deps deps-%,$(MAKECMDGOALS))
ifneq ($(DEPS),)
$(OBJECTS) $(BUILD)/libsodium $(BUILD)/libseccomp $(BUILD)/unpack strict abi gstreamer fuzz mutate junk asan ubsan tsan sim distcheck reproducible deb cross: | $(DEPS)
endif

.PHONY: FORCE format format-check all docs-check core core-musl core-mingw install-core deps-core abi help check quickcheck strict strict-objects layers lab-programs asan ubsan tsan \
	confined siege sanitized accuracy media demo pictures paper bench sim replay fuzz mutate junk install install-library \
	install-plots install-service install-gstreamer gstreamer deps-gstreamer uninstall distcheck reproducible clean cross deb deps deps-test \
	deps-python deps-spark deps-wireshark python python-check python-page spark-check wireshark-check \
	perfsonar-check install-perfsonar deps-fuzz deps-service deps-package deps-cross
