# SPDX-License-Identifier: BSD-3-Clause
# Programs of the tests, and the targets that run them.

LAB_OBJECTS = $(call objects,tests/lab tests/bench/capture)
RELAY = $(filter $(BUILD)/tests/lab/relay%,$(LAB_OBJECTS))
RELAY_PARTS = $(addprefix $(BUILD)/tests/lab/relay_,fair.o frame.o link.o path.o)
UNIT = $(call objects,tests/unit)
SIM_MAINS = $(addprefix $(BUILD)/tests/sim/,accuracy.o locate_main.o media.o tight_main.o)
SIM = $(filter-out $(SIM_MAINS),$(call objects,tests/sim))
BENCH = $(call objects,tests/bench)
FUZZERS = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ = $(call objects,tests/fuzz)
FUZZ_PARTS = $(addprefix $(BUILD)/tests/,fuzz/exact.o fuzz/figures.o fuzz/junk.o fuzz/measurement.o \
	fuzz/trains.o unit/random.o)
CHECK_CFLAGS = $(shell $(PKG_CONFIG) --cflags check)
CHECK_LIBS = $(shell $(PKG_CONFIG) --libs check)

# --- Programs ---

$(BIN)/gstreamer: $(BUILD)/tests/gstreamer/element.o $(GST_PLUGIN)
	$(call link,-pthread $(GST_LIBS) $(shell $(PKG_CONFIG) --libs gstreamer-check-1.0))
$(BUILD)/tests/gstreamer/%.o: EXTRA_CFLAGS = $(GST_CFLAGS)

$(BIN)/relay: $(RELAY) $(call objects,common)
	$(call link,$(COMMON_LIBS))

$(BIN)/train $(BIN)/sink $(BIN)/flood $(BIN)/copy $(BIN)/copycat $(BIN)/cross $(BIN)/naps: $(BIN)/%: $(BUILD)/tests/lab/%.o $(call objects,common)
	$(call link,$(COMMON_LIBS))

$(BIN)/congestion: $(BUILD)/tests/lab/congestion.o $(BUILD)/libpprec.a
$(BIN)/egress: $(BUILD)/tests/lab/egress.o $(call objects,common)
$(BIN)/left: $(BUILD)/tests/lab/left.o $(call objects,common)
$(BIN)/capture: $(BUILD)/tests/bench/capture/capture.o $(call objects,common)
$(BIN)/egress $(BIN)/left $(BIN)/capture $(BIN)/congestion:
	$(call link,$(PCAP_LIBS) $(COMMON_LIBS))

$(BIN)/unit: $(UNIT) $(SIM) $(PPTRANS) $(filter-out $(BUILD)/pprec/cmd/main.o,$(PPREC)) \
		$(RELAY_PARTS) $(BUILD)/pprec/examples/layers.o $(BUILD)/pprec/examples/controller.o $(PARTS)
	$(call link,$(COUNT_ALLOCATIONS) -pthread $(CHECK_LIBS) $(EVENT_LIBS) $(SECCOMP_LIBS) $(PCAP_LIBS) $(COMMON_LIBS))

COUNT_ALLOCATIONS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc # tests/unit/allocations.c

$(BIN)/accuracy: $(BUILD)/tests/sim/accuracy.o $(SIM) $(PARTS)
$(BIN)/media: $(BUILD)/tests/sim/media.o $(SIM) $(PARTS)
$(BIN)/locate: $(BUILD)/tests/sim/locate_main.o $(SIM) $(PARTS)
$(BIN)/tight: $(BUILD)/tests/sim/tight_main.o $(SIM) $(PARTS)
$(BIN)/accuracy $(BIN)/locate $(BIN)/media $(BIN)/tight:
	$(call link,$(PCAP_LIBS) -pthread $(COMMON_LIBS))

$(BIN)/bench: $(BENCH) $(PPTRANS) $(PARTS)
	$(call link,$(PCAP_LIBS) $(COMMON_LIBS))

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
	$(call link,$(FUZZ_LIBS) $(PCAP_LIBS) $(COMMON_LIBS))

$(BIN)/datagrams: $(BUILD)/tests/fuzz/datagrams.o $(BUILD)/tests/fuzz/fuzz_datagram.o $(FUZZ_PARTS) \
		$(PARTS)
	$(call link,$(PCAP_LIBS) $(COMMON_LIBS))

$(BIN)/forgeries: $(BUILD)/tests/fuzz/forgeries.o $(FUZZ_PARTS) $(PARTS)
	$(call link,$(PCAP_LIBS) $(COMMON_LIBS))

$(BIN)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(FUZZ_PARTS) $(PARTS)
	$(call link,-fsanitize=fuzzer $(FUZZ_LIBS) $(PCAP_LIBS) $(COMMON_LIBS))

$(BUILD)/tests/unit/%.o: EXTRA_CFLAGS = $(CHECK_CFLAGS)
$(BUILD)/tests/fuzz/fuzz_http.o: EXTRA_CFLAGS = $(EVENT_CFLAGS)

# --- Testing ---

# What only compiles takes all processors, also where make was not told so.
ALL_PROCESSORS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

check: quickcheck strict core-musl lab-programs ## run the tests, but for long ones (root, or user namespaces, for the lab)
	@BIN=$(abspath $(BIN)) tests/lab/run $(filter-out $(LAB_LONG:%=tests/lab/test_%.sh),$(wildcard tests/lab/test_*.sh))

check-long: lab-programs asan ## run the lab tests and tables that check leaves out, and the tests that asan runs
	@BIN=$(abspath $(BIN)) tests/lab/run $(LAB_LONG:%=tests/lab/test_%.sh) $(LAB_TABLES)

LAB_LONG = congestion examples layered locate shaped soak tight
LAB_TABLES = 'tests/lab/egress_table short' 'tests/lab/rate_table short' tests/lab/busy_table 'tests/lab/tag_table short'

check-programs:
	@$(MAKE) --no-print-directory $(ALL_PROCESSORS) all lab-programs $(BIN)/unit $(BIN)/accuracy $(BIN)/locate $(BIN)/tight \
		$(FUZZERS:%=$(BIN)/replay_%) $(BIN)/datagrams $(BIN)/forgeries

quickcheck: check-programs layers abi replay ## run the tests that need no privileges
	$(BIN)/unit
	$(BIN)/accuracy --filters adaptive --seeds 40 --gate 2
	$(BIN)/accuracy --filters adaptive --seeds 20 --promised
	$(BIN)/accuracy --filters adaptive --seeds 10 --following
	$(BIN)/accuracy --filters adaptive --seeds 5 --ramps
	$(BIN)/accuracy --available=one --seeds 10 --gate 1
	$(BIN)/accuracy --available=t --seeds 10 --gate 1
	$(BIN)/locate --seeds 12 --gate
	$(BIN)/tight --seeds 12 --gate
	@HARDEN='$(HARDEN)' CC='$(CC)' CFLAGS='$(CPPFLAGS) $(CFLAGS)' LDFLAGS='$(LDFLAGS)' \
		SANITIZE='$(SANITIZE)' tests/hardening check $(PROGRAMS) $(SHARED) $(CORE_SHARED)
	@BIN=$(abspath $(BIN)) tests/vectors/ns3/check
	@tests/phrases
	@tests/keys
	@BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) tests/completion
	@BUILD=$(BUILD) CC='$(CC)' CXX='$(CXX)' MAKE='$(MAKE)' tests/installed

docs-check: all lab-programs ## run the commands that pages invite to paste, in the lab
	@BIN=$(abspath $(BIN)) tests/lab/test_docs.sh

replay: $(FUZZERS:%=$(BIN)/replay_%) $(BIN)/datagrams $(BIN)/forgeries ## try what fuzzing starts from and what it once found
	@$(BIN)/datagrams 300000
	@$(BIN)/forgeries 300000
	@$(BIN)/replay_push -m 3000 tests/fuzz/corpus/push/*
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
	$(call fuzzes,push,4608)
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

strict: format-check ## compile by gcc and clang: no warning, and one layout
	@for compiler in gcc clang; do \
		$(MAKE) --no-print-directory $(ALL_PROCESSORS) BUILD=build/$$compiler CC=$$compiler \
			CFLAGS='-O1 -Werror' strict-objects || exit 1; \
	done

SOURCES_C = $(sort $(wildcard $(addsuffix /*.[ch],common filters pptrans pptrans/complete pprec pprec/* pprec/cmd/complete \
	pprec/python/src/pprec tests tests/* tests/bench/capture) tests/abi/*.cc tests/sim/ns3/*.cc tests/sim/ns3/*.h))

format: ## lay the code out as .clang-format says
	@clang-format -i $(SOURCES_C)

# Other versions lay out a few things otherwise.
format-check: ## compare the layout of the code with .clang-format
	@case "$$(clang-format --version 2>&1)" in \
	*' version 14.'*) clang-format --dry-run -Werror $(SOURCES_C) ;; \
	*) echo 'SKIP format: this wants clang-format 14' ;; \
	esac

strict-objects: $(OBJECTS)
	@! $(call has,$(GST_MODULES)) || $(MAKE) --no-print-directory -s $(GSTREAMER) $(BUILD)/tests/gstreamer/element.o
	@! $(call has,libuv) || $(MAKE) --no-print-directory -s $(UV_EXAMPLE)

lab-programs: all $(BIN)/relay $(BIN)/cross $(BIN)/train $(BIN)/sink $(BIN)/egress $(BIN)/left $(BIN)/flood $(BIN)/copy $(BIN)/naps $(BIN)/layered_send \
		$(BIN)/layered_receive $(BIN)/rtp $(BIN)/poll $(BIN)/congestion $(BIN)/srt_preload.so $(BIN)/rate_send \
		$(BIN)/rate_receive ## build what tests/lab needs
	@! $(call has,$(GST_MODULES)) || $(MAKE) --no-print-directory -s $(GST_PLUGIN) $(BIN)/gstreamer
	@! $(call has,libuv) || $(MAKE) --no-print-directory -s $(BIN)/libuv

asan: ## run the unit and lab tests with the address sanitizer
	@$(MAKE) --no-print-directory sanitized $(ASAN)

asan-unit: ## run the unit tests with the address sanitizer
	@$(MAKE) --no-print-directory sanitized-unit $(ASAN)

ASAN = BUILD=build/asan SANITIZE='-fsanitize=address -fno-omit-frame-pointer'

ubsan: ## run the unit and lab tests with the undefined-behaviour sanitizer
	@$(MAKE) --no-print-directory sanitized BUILD=build/ubsan \
		SANITIZE='-fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=undefined,float-cast-overflow'

confined: lab-programs ## run the lab tests with a filter of system calls that ends pprec
	@BIN=$(abspath $(BIN)) tests/lab/confined

# SOAK_SECONDS under every attack.
SOAK_SECONDS ?= 1200

siege: lab-programs $(BIN)/copycat ## measure beside every attack there is, for 20 minutes (SOAK_SECONDS=1200)
	@BIN=$(abspath $(BIN)) tests/lab/siege $(SOAK_SECONDS)

# What is about behaviour; figures of speed and precision are not a sanitizer's.
# What the runner of the tests frees would otherwise be copied, and searched for leaks, in each of their processes.
sanitized-unit:
	@$(MAKE) --no-print-directory $(ALL_PROCESSORS) --output-sync=target replay unit-tests

# (To fork for each test takes a sanitizer as long again.)
unit-tests: $(BIN)/unit
	CK_FORK=no ASAN_OPTIONS=quarantine_size_mb=8 $(BIN)/unit

sanitized: check-programs
	@$(MAKE) --no-print-directory sanitized-unit
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

.PHONY: check check-long check-programs asan-unit sanitized-unit unit-tests quickcheck docs-check replay fuzz mutate junk abi core-musl core-mingw layers strict format \
	format-check strict-objects lab-programs asan ubsan confined siege sanitized media accuracy tsan cross demo \
	pictures paper bench sim
