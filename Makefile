# SPDX-License-Identifier: BSD-3-Clause
# pptrans and pprec. `make help` lists the targets.

PKG_CONFIG ?= pkg-config
# Compiles what runs while building, where CC is for another processor.
CC_FOR_BUILD ?= cc

# Another configuration (a sanitizer, another compiler) goes to another directory.
BUILD ?= build
CFLAGS ?= -O2 -g
WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wconversion
ALL_CFLAGS = $(NEEDS_LINUX) -std=c11 -D_GNU_SOURCE $(WIDE) -I. $(HARDEN_CFLAGS) \
	$(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(SANITIZE)
ALL_LDFLAGS = $(HARDEN_LDFLAGS) $(LDFLAGS) $(SANITIZE) $(APART)

# What distributions harden their packages with, as far as the compiler has it, and no path of this
# directory, so that any other gives the same bytes. Asked once, and only by what compiles.
# `make HARDEN=no` does without.
HARDEN ?= yes
asks = $(eval $(1) := $(shell HARDEN='$(HARDEN)' CC='$(CC)' CFLAGS='$(CPPFLAGS) $(CFLAGS)' \
	LDFLAGS='$(LDFLAGS)' SANITIZE='$(SANITIZE)' tests/hardening $(2)))$($(1))
HARDEN_CFLAGS = $(call asks,HARDEN_CFLAGS,compile)
HARDEN_LDFLAGS = $(call asks,HARDEN_LDFLAGS,link)
RELOCATABLE = $(call asks,RELOCATABLE,relocatable)

# pprec itself is optimised as a whole: a packet passes two dozen small functions of as many files. All else
# takes the same objects as they are, so that only this link takes seconds. `make WHOLE=` does without.
WHOLE = $(call asks,WHOLE,whole)
APART = $(if $(WHOLE),-fno-lto)
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

sources = $(sort $(foreach room,$(1),$(wildcard $(room)/*.c)))
objects = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))

# On 32 bits logs may pass 2 GiB, and time 2038. But libpcap and libevent are compiled with the
# system's own time_t: so is what gives them a struct timeval, or takes one.
WIDE = -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
TIMEVAL := $(patsubst %.c,$(BUILD)/%.o,$(shell grep -rlE --include='*.c' 'struct (timeval|pcap_pkthdr)' pprec tests))
$(TIMEVAL): WIDE = -D_FILE_OFFSET_BITS=64

# libpprec-core is the library without what opens sockets, reads captures or wants another library;
# with a stand-in for what checks keys.
CORE_ONLY = $(BUILD)/pprec/lib/guard_none.o
LIBRARY = $(filter-out $(CORE_ONLY),$(call objects,pprec/lib filters common))
SOURCES_OF_ITS_OWN = $(patsubst %,$(BUILD)/pprec/lib/%.o,capture capture_file capture_filter capture_format \
	capture_input capture_live capture_unpack dispatch dissect guard link \
	membership replays route socket)
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
OBJECTS = $(LIBRARY) $(CORE_ONLY) $(PPREC) $(EXAMPLES) $(PPTRANS_MAIN) $(PPTRANS) $(LAB_OBJECTS) $(UNIT) $(FUZZ) $(BENCH) \
	$(SIM) $(SIM_MAINS) $(COMPLETE)

# The major version of the ABI: it changes when programs must be compiled anew.
SONAME = libpprec.so.0
SHARED = $(BUILD)/libpprec.so.$(VERSION)
CORE_SONAME = libpprec-core.so.0
CORE_SHARED = $(BUILD)/$(if $(MINGW),libpprec-core-0.dll,libpprec-core.so.$(VERSION))
# What is inside libpprec.a by the names it has here: for programs of this tree.
PARTS = $(BUILD)/parts.a

COMPLETE = $(call objects,pprec/cmd/complete pptrans/complete)
COMPLETIONS = $(BUILD)/completion/pprec.bash $(BUILD)/completion/pprec.zsh \
	$(BUILD)/completion/pptrans.bash $(BUILD)/completion/pptrans.zsh

BIN = $(BUILD)/bin
PROGRAMS = $(BIN)/pptrans $(BIN)/pprec

all: $(PROGRAMS) $(BUILD)/libpprec.a $(SHARED) core $(COMPLETIONS) ## build the programs and the libraries

core: $(BUILD)/libpprec-core.a $(CORE_SHARED) ## build libpprec-core alone: it wants the C library, and nothing else

help: ## list the targets
	@sed -n 's/^\([a-z -]*\):.*## /\1\t/p' Makefile *.mk | sort | expand -t 24

# --- Building ---

# $(call link,LIBRARIES) and $(call link_shared,FLAGS,LIBRARIES): objects first, archives behind what asks of them.
define linked
@mkdir -p $(@D)
@echo "  LD $@"
@$(CC) $(1) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(2)
endef
link = $(call linked,$(ALL_LDFLAGS),$(1))
link_shared = $(call linked,$(filter-out -pie,$(ALL_LDFLAGS)) -shared $(1),$(2))
soname = -Wl,-soname,$(1)
EXPORTS = -Wl,--version-script=$(filter %.map,$^)
DEFINED = -Wl,-z,defs
INSIDE = -Wl,--exclude-libs,ALL

$(LIBRARY) $(PPREC): ALL_CFLAGS += $(WHOLE)
$(BIN)/pprec: APART = $(WHOLE)
$(BIN)/pprec: $(PPREC) $(PARTS)
	$(call link,-pthread $(EVENT_LIBS) $(SECCOMP_LIBS) $(PCAP_LIBS) $(COMMON_LIBS))

$(BIN)/pptrans: $(PPTRANS_MAIN) $(PPTRANS) $(call objects,common)
	$(call link,$(COMMON_LIBS))

# What shells complete, from the same tables as --help. Built without libraries, for it must run here
# even where those of another processor are all there are.
$(BIN)/complete_pprec: $(BUILD)/pprec/cmd/complete/main.o $(BUILD)/pprec/cmd/options.o \
		$(filter-out $(BUILD)/pprec/lib/capture%,$(LIBRARY))
$(BIN)/complete_pptrans: $(BUILD)/pptrans/complete/main.o $(PPTRANS) $(call objects,common)
$(BIN)/complete_%:
	$(call link,$(COMMON_LIBS))

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
	@$(CC) $(CFLAGS) $(APART) -fPIC $(RELOCATABLE) -r -nostdlib -o $(@:.a=.o) $^
	@$(OBJCOPY) --wildcard --remove-section='.gnu.*lto_*' --keep-global-symbol='pprec_*' $(@:.a=.o)
	@$(AR) rcsD $@ $(@:.a=.o)

$(BUILD)/libpprec-core.so.$(VERSION): $(CORE) pprec/libpprec-core.map
	$(call link_shared,$(call soname,$(CORE_SONAME)) $(DEFINED) $(EXPORTS),-lm)

# Exports what is global in the archive.
$(BUILD)/libpprec-core-0.dll: $(BUILD)/libpprec-core.a
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -shared -static-libgcc -Wl,--out-implib,$(BUILD)/libpprec-core.dll.a -o $@ $(<:.a=.o)

$(BIN)/layered_receive: $(BUILD)/pprec/examples/layers.o
$(BIN)/rate_receive: $(BUILD)/pprec/examples/controller.o
$(BIN)/layered_send $(BIN)/layered_receive $(BIN)/rtp $(BIN)/poll $(BIN)/rate_send $(BIN)/rate_receive: $(BIN)/%: $(BUILD)/pprec/examples/%.o \
		$(BUILD)/libpprec.a
	$(call link,$(PCAP_LIBS) $(COMMON_LIBS))

$(SHARED): $(LIBRARY) pprec/libpprec.map
	$(call link_shared,$(call soname,$(SONAME)) $(EXPORTS),$(PCAP_LIBS) $(COMMON_LIBS))

# For programs that are not ours to change: LD_PRELOAD.
$(BIN)/srt_preload.so: $(BUILD)/pprec/examples/srt_preload.o $(BUILD)/libpprec-core.a
	$(call link_shared,$(INSIDE),-ldl -lm)
$(BUILD)/pprec/examples/srt_preload.o: EXTRA_CFLAGS = -fPIC

$(BIN)/libuv: $(UV_EXAMPLE) $(BUILD)/libpprec-core.a
	$(call link,$(UV_LIBS) -lm)
$(UV_EXAMPLE): EXTRA_CFLAGS = $(UV_CFLAGS)

# GStreamer's plugin has the library inside: it is found by no path of a linker.
gstreamer: ## build the GStreamer element
	@$(call has,$(GST_MODULES)) || { echo "gstreamer: GStreamer's headers are missing: make deps-gstreamer" >&2; exit 1; }
	@$(MAKE) --no-print-directory $(GST_PLUGIN)

$(GST_PLUGIN): $(GSTREAMER) $(BUILD)/libpprec-core.a
	$(call link_shared,$(DEFINED) $(INSIDE),$(GST_LIBS) -lm)
$(GSTREAMER): EXTRA_CFLAGS = -fPIC -fvisibility=hidden $(GST_CFLAGS)

# The same objects go into all libraries; what the public headers do not declare stays inside.
$(LIBRARY) $(CORE_ONLY): ALL_CFLAGS += -fPIC -fvisibility=hidden
$(LIBRARY) $(CORE_ONLY) $(PPREC): Makefile

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) $(if $(WHOLE),-frandom-seed=$<) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/common/auth.o: EXTRA_CFLAGS = $(SODIUM_CFLAGS)
$(BUILD)/common/auth.o: $(BUILD)/libsodium
$(BUILD)/pprec/lib/capture_unpack.o: EXTRA_CFLAGS = $(UNPACK_CFLAGS)
$(BUILD)/pprec/lib/capture_unpack.o: $(BUILD)/unpack
$(BUILD)/pptrans/%.o: EXTRA_CFLAGS = -DPP_VERSION='"$(VERSION)"'
$(BUILD)/pprec/cmd/%.o: EXTRA_CFLAGS = $(EVENT_CFLAGS)
$(BUILD)/pprec/cmd/confine.o: EXTRA_CFLAGS = $(SECCOMP_CFLAGS)
$(BUILD)/pprec/cmd/confine.o: $(BUILD)/libseccomp

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

FORCE:

include tests.mk install.mk deps.mk

-include $(OBJECTS:.o=.d) $(GSTREAMER:.o=.d) $(UV_EXAMPLE:.o=.d) $(BUILD)/tests/gstreamer/element.d

.PHONY: core all help gstreamer FORCE
