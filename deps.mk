# SPDX-License-Identifier: BSD-3-Clause
# What is installed on this machine so that all of this builds: `make deps`, `make deps-...`.

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
$(OBJECTS) $(BUILD)/libsodium $(BUILD)/libseccomp $(BUILD)/unpack check-programs strict abi gstreamer fuzz mutate junk asan asan-unit ubsan tsan sim distcheck reproducible deb cross: | $(DEPS)
endif

.PHONY: deps deps-test deps-service deps-gstreamer deps-python deps-spark deps-wireshark deps-fuzz \
	deps-package deps-core deps-cross
