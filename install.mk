# SPDX-License-Identifier: BSD-3-Clause
# What is installed, packages, and what other languages and programs get.

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

UNITS = $(patsubst %.in,%,$(notdir $(wildcard pprec/service/*.in pptrans/service/*.in)))

$(BUILD)/units/%.service: FORCE
	@mkdir -p $(@D)
	@sed -e '/@SANDBOX@/{r common/service.sandbox' -e 'd;}' $(wildcard */service/$*.service.in) | \
		sed -e 's|@BINDIR@|$(BINDIR)|' -e 's|@SYSCONFDIR@|$(SYSCONFDIR)|g' >$@

# Enabling one is left to the operator: a port, an interface or a host is in its name.
install-service: $(UNITS:%=$(BUILD)/units/%) ## install systemd units, their options, and logrotate's
	$(INSTALL) -d "$(DESTDIR)$(UNITDIR)" "$(DESTDIR)$(SYSCONFDIR)/default" "$(DESTDIR)$(SYSCONFDIR)/logrotate.d"
	$(INSTALL) -m 644 $^ "$(DESTDIR)$(UNITDIR)"
	$(INSTALL) -m 644 pprec/service/pprec.default "$(DESTDIR)$(SYSCONFDIR)/default/pprec"
	$(INSTALL) -m 644 pptrans/service/pptrans.default "$(DESTDIR)$(SYSCONFDIR)/default/pptrans"
	$(INSTALL) -m 644 pprec/service/pprec.logrotate "$(DESTDIR)$(SYSCONFDIR)/logrotate.d/pprec"

# What a static library wants.
PRIVATE = $(foreach each,libsodium zlib libzstd liblzma,$(shell ! $(PKG_CONFIG) --exists $(each) || echo $(each)))

$(BUILD)/%.pc: pprec/%.pc.in FORCE
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@PRIVATE@|$(strip $(PRIVATE))|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' $< >$@

install: install-library install-plots ## install to DESTDIR and PREFIX
	$(INSTALL) -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(MANDIR)/man1"
	$(INSTALL) -m 755 $(PROGRAMS) "$(DESTDIR)$(BINDIR)"
	$(INSTALL) -m 644 pptrans/pptrans.1 pprec/pprec.1 "$(DESTDIR)$(MANDIR)/man1"
	$(INSTALL) -d "$(DESTDIR)$(BASHCOMPDIR)" "$(DESTDIR)$(ZSHCOMPDIR)"
	@for name in pptrans pprec; do \
		$(INSTALL) -m 644 $(BUILD)/completion/$$name.bash "$(DESTDIR)$(BASHCOMPDIR)/$$name" && \
		$(INSTALL) -m 644 $(BUILD)/completion/$$name.zsh "$(DESTDIR)$(ZSHCOMPDIR)/_$$name" || exit 1; \
	done
	$(INSTALL) -d "$(DESTDIR)$(DATADIR)/prometheus"
	$(INSTALL) -m 644 $(wildcard pprec/prometheus/*) "$(DESTDIR)$(DATADIR)/prometheus"

# It finds its parts beside itself, and is called by a name that says whose logs it draws.
install-plots:
	$(INSTALL) -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(DATADIR)/plots" "$(DESTDIR)$(MANDIR)/man1"
	$(INSTALL) -m 755 plots/plot "$(DESTDIR)$(DATADIR)/plots"
	$(INSTALL) -m 644 $(wildcard plots/*.awk plots/*.gp) "$(DESTDIR)$(DATADIR)/plots"
	ln -sfr "$(DESTDIR)$(DATADIR)/plots/plot" "$(DESTDIR)$(BINDIR)/pprec-plot"
	$(INSTALL) -m 644 plots/pprec-plot.1 "$(DESTDIR)$(MANDIR)/man1"

# Programs find a new library only after it. A package's scripts do it, a user cannot, and some systems have none.
LDCONFIG = @[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ! command -v ldconfig >/dev/null || ldconfig || true

HEADERS = $(addprefix pprec/,pprec.h core.h source.h media.h)

# Every function has a page: that of the library.
MAN3 = $(sort $(patsubst %_sized,%,$(shell cat pprec/libpprec.symbols)))

install-library: all install-core $(BUILD)/pprec.pc ## install the libraries alone
	$(INSTALL) -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(INCLUDEDIR)/pprec/adapters" "$(DESTDIR)$(MANDIR)/man3"
	$(INSTALL) -m 644 $(BUILD)/libpprec.a $(SHARED) "$(DESTDIR)$(LIBDIR)"
	ln -sf $(notdir $(SHARED)) "$(DESTDIR)$(LIBDIR)/$(SONAME)"
	ln -sf $(SONAME) "$(DESTDIR)$(LIBDIR)/libpprec.so"
	$(INSTALL) -m 644 $(BUILD)/pprec.pc "$(DESTDIR)$(LIBDIR)/pkgconfig"
	$(INSTALL) -m 644 $(HEADERS) "$(DESTDIR)$(INCLUDEDIR)/pprec"
	$(INSTALL) -m 644 pprec/adapters/*.h "$(DESTDIR)$(INCLUDEDIR)/pprec/adapters"
	$(INSTALL) -m 644 pprec/pprec.3 "$(DESTDIR)$(MANDIR)/man3"
	@for name in $(MAN3); do echo .so man3/pprec.3 >"$(DESTDIR)$(MANDIR)/man3/$$name.3"; done
	$(LDCONFIG)

# All that pushing wants.
CORE_HEADERS = pprec/core.h pprec/media.h

install-core: core $(BUILD)/pprec-core.pc ## install libpprec-core alone
	$(INSTALL) -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(INCLUDEDIR)/pprec"
	$(INSTALL) -m 644 $(BUILD)/libpprec-core.a $(CORE_SHARED) "$(DESTDIR)$(LIBDIR)"
	ln -sf $(notdir $(CORE_SHARED)) "$(DESTDIR)$(LIBDIR)/$(CORE_SONAME)"
	ln -sf $(CORE_SONAME) "$(DESTDIR)$(LIBDIR)/libpprec-core.so"
	$(INSTALL) -m 644 $(BUILD)/pprec-core.pc "$(DESTDIR)$(LIBDIR)/pkgconfig"
	$(INSTALL) -m 644 $(CORE_HEADERS) "$(DESTDIR)$(INCLUDEDIR)/pprec"
	$(LDCONFIG)

# What is installed in a directory: names, or patterns of the shell.
at = $(patsubst %,"$(DESTDIR)$(1)"/%,$(2))

uninstall: ## remove what install put there
	rm -f $(call at,$(BINDIR),pptrans pprec pprec-plot)
	rm -f $(call at,$(BASHCOMPDIR),pptrans pprec) $(call at,$(ZSHCOMPDIR),_pptrans _pprec)
	rm -f $(call at,$(UNITDIR),$(UNITS)) $(call at,$(SYSCONFDIR)/logrotate.d,pprec)
	rm -f $(call at,$(LIBDIR),$(addprefix libpprec,.a .so* -core.a -core.so*))
	rm -f $(call at,$(LIBDIR)/pkgconfig,pprec.pc pprec-core.pc) $(call at,$(INCLUDEDIR),$(HEADERS))
	rm -f $(call at,$(INCLUDEDIR)/pprec/adapters,$(notdir $(wildcard pprec/adapters/*.h)))
	rm -f $(call at,$(MANDIR)/man3,pprec.3 $(MAN3:%=%.3))
	rm -f $(call at,$(MANDIR)/man1,pptrans.1 pprec.1 pprec-plot.1)
	rm -f $(call at,$(DATADIR)/prometheus,$(notdir $(wildcard pprec/prometheus/*)))
	rm -f $(call at,$(DATADIR),plots/plot $(wildcard plots/*.awk plots/*.gp))
	$(if $(GSTPLUGINDIR),rm -f "$(DESTDIR)$(GSTPLUGINDIR)/libgstpprec.so")
	-rmdir $(call at,$(DATADIR),prometheus plots) "$(DESTDIR)$(DATADIR)"
	-rmdir $(call at,$(INCLUDEDIR)/pprec,adapters) "$(DESTDIR)$(INCLUDEDIR)/pprec"

install-gstreamer: gstreamer ## install the GStreamer element where GStreamer looks for it
	$(INSTALL) -d "$(DESTDIR)$(GSTPLUGINDIR)"
	$(INSTALL) -m 644 $(GST_PLUGIN) "$(DESTDIR)$(GSTPLUGINDIR)"

PSCHEDULERDIR ?= /usr/libexec/pscheduler

# Each class is found by the directory it is in, and has all it wants there.
install-perfsonar: ## install pScheduler's test and tool (then run pscheduler internal warmboot)
	@for class in test/capacity tool/pprec; do \
		to="$(DESTDIR)$(PSCHEDULERDIR)/classes/$$class" from=pprec/perfsonar/$${class#*/}; \
		rm -rf "$$to" && $(INSTALL) -d "$$to" && \
		$(INSTALL) -m 555 $$(find $$from -type f ! -name '*.py') "$$to" && \
		$(INSTALL) -m 444 pprec/perfsonar/plugin.py $$(find $$from -name '*.py') "$$to" && \
		sed -e 's/@VERSION@/$(VERSION)/' $$from/enumerate >"$$to/enumerate.made" && \
		$(INSTALL) -m 555 "$$to/enumerate.made" "$$to/enumerate" && rm -f "$$to/enumerate.made" || exit 1; \
	done

distcheck: ## build, test, install and uninstall from a source archive
	@VERSION=$(VERSION) BUILD=$(BUILD) tests/distcheck

release: ## make what a version is handed out as, in build/release: archive, packages, checksums
	@VERSION=$(VERSION) MAKE='$(MAKE)' tests/release $(BUILD)/release

reproducible: ## build in two directories: the same bytes
	@tests/reproducible

deb: ## build the Debian packages (to DEB_DIR, if given), check them, try what they install
	@VERSION=$(VERSION) DEB_DIR=$(DEB_DIR) tests/deb || [ $$? -eq 77 ]

clean: ## remove everything that was built
	rm -rf build

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

.PHONY: install-service install install-plots install-library install-core uninstall install-gstreamer \
	install-perfsonar distcheck release reproducible deb clean python python-check spark-check python-page \
	wireshark-check perfsonar-check
