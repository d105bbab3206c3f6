# shellcheck shell=bash disable=SC2154
# Sourced by the tests of the wrapper: a checkout with nothing but the wrapper in it, on a machine
# whose tools are scripts that write down how they were called.

scratch=$(readlink -f -- "$(mktemp -d)")
chmod 755 "$scratch"
readonly scratch tools=$scratch/tools calls=$scratch/calls checkout=$scratch/checkout
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
unset DAMOCLES_NO_INSTALL DAMOCLES_JOBS DAMOCLES_PLOTS DAMOCLES_PYTHON DAMOCLES_CUDA XDG_CACHE_HOME CXX CUDACXX CUDA_PATH
export HOME=$scratch/home
as_root=()  # before a command that may install
((EUID == 0)) || as_root=(unshare --map-root-user)

fail() {
  printf 'FAILED %s: %s\n' "$name" "$1" >&2
  head -v -n 50 "$scratch"/stdout "$scratch"/stderr "$calls" >&2 || true
  exit 1
}
expect_equal() { [[ $1 == "$2" ]] || fail "expected '$2', got '$1'"; }
expect_in() { [[ $2 == *"$1"* ]] || fail "expected '$1' in '$2'"; }
expect_not_in() { [[ $2 != *"$1"* ]] || fail "expected no '$1' in '$2'"; }
expect_lines() { expect_equal "$(grep -c '' <<<"$2")" "$1"; }

# tool NAME: a tool with the body on standard input.
tool() {
  { printf '#!/usr/bin/env bash\nprintf "%%s\\n" "%s $*" >>"%s"\n' "$1" "$calls"; cat; } >"$tools/$1"
  chmod +x "$tools/$1"
}

package_tools() {
  # Like the true one: two fields a package, a removed one has a status too, an unknown one no line.
  tool dpkg-query <<-SCRIPT
	shift 3
	absent=\$'\n'\$(<"$scratch/absent")\$'\n'
	for package; do
	  if [[ \$absent != *\$'\n'"\$package"\$'\n'* ]]; then echo "\$package installed"
	  elif [[ \$package == libfmt-dev ]]; then echo "libfmt-dev config-files"; fi
	done
	[[ ! -s "$scratch/absent" ]]
	SCRIPT
  # The first install fails, as where the package lists are stale.
  tool apt-get <<-SCRIPT
	if [[ \$2 == --assume-no ]]; then
	  printf '0 upgraded, 3 newly installed, 0 to remove and 0 not upgraded.\nNeed to get 1,2 kB/4.5 MB of archives.\n'
	  printf 'After this operation, 17.3 MB of additional disk space will be used.\n'
	  exit 1
	fi
	echo "apt-get speaks"
	[[ -z \${NO_NETWORK:-} ]] || { echo "E: no network"; exit 100; }
	[[ \$1 == update || -e "$scratch/updated" ]] || { touch "$scratch/updated"; exit 100; }
	touch "$scratch/updated"
	[[ \$1 != install ]] || for package; do sed -i "/^\$package\$/d" "$scratch/absent"; done
	SCRIPT
  tool sudo <<<'while [[ $1 == -* ]]; do shift; done; exec "$@"'
}

# CMake writes a cache as the true one does; a cache with the line `old` it refuses as that would be.
# Ninja makes a program that tells of its call and ends with 7.
build_tools() {
  tool cmake <<-SCRIPT
	echo "cmake speaks"
	if [[ -n \${UNCONFIGURABLE:-} ]]; then echo "CMake Error at x.cmake: fmt not found"; exit 1; fi
	if grep -qsx old "\$4/CMakeCache.txt"; then
	  echo "CMake Error: Error: generator : Ninja"; echo "does not match the generator used previously"; exit 1
	fi
	mkdir -p "\$4"
	cuda=\$(sed -n 's/^DAMOCLES_CUDA:BOOL=//p' "\$4/CMakeCache.txt" 2>/dev/null)
	for word; do [[ \$word != DAMOCLES_CUDA=* ]] || cuda=\${word#*=}; done
	{ echo "CMAKE_HOME_DIRECTORY:INTERNAL=\$2"; echo "CMAKE_MAKE_PROGRAM:FILEPATH=$tools/ninja"
	  echo "DAMOCLES_CUDA:BOOL=\${cuda:-OFF}"
	  ! grep -qx pybind11-dev "$scratch/absent" || echo "DAMOCLES_PYTHON_FOUND:INTERNAL=OFF"
	  ! grep -qx libgtest-dev "$scratch/absent" || echo "GTest_DIR:PATH=GTest_DIR-NOTFOUND"; } >"\$4/CMakeCache.txt"
	sleep 0.3
	touch "\$4/build.ninja"
	SCRIPT
  tool ninja <<-'SCRIPT'
	echo "[1/2] ninja speaks"
	echo "[0/3] Re-checking globbed directories..."
	sleep "${SLOW:-0}"
	if [[ -n ${BROKEN:-} ]]; then
	  printf 'FAILED: x.o\nc++ -o x.o x.cpp\nx.cpp:1:2: error: %s\n' "$BROKEN"
	  exit 1
	fi
	mkdir -p "$2/experiments"
	printf '#!/bin/sh\necho "$PWD"\nprintf "<%%s>\\n" "$@"\necho "plots $DAMOCLES_PLOTS"\n[ "$1" = --version ] || exit 7\n' >"$2/experiments/damocles"
	chmod +x "$2/experiments/damocles"
	SCRIPT
  tool ctest <<<'exit 9'
  tool ldconfig <<<'echo "libcuda.so.1 (libc6,x86-64) => /lib/libcuda.so.1"'
}

# A machine with every package but those named, whose builds work.
machine_without() {
  mkdir -p "$tools" "$checkout" "$HOME"
  : >"$calls"
  chmod 666 "$calls"
  mkdir -p "$checkout/tests" "$checkout/cmake"
  cp "$wrapper" "$checkout/damocles"
  cp -p "${wrapper%/*}"/cmake/{packages,cuda}.sh "$checkout/cmake/"
  cp "${wrapper%/*}/tests/follow.py" "$checkout/tests/"
  echo "project(damocles VERSION 1.2.3 LANGUAGES CXX" >"$checkout/CMakeLists.txt"
  printf '%s\n' "$@" >"$scratch/absent"
  package_tools
  build_tools
}

# Runs the wrapper by the given path; sets status, stdout, stderr.
call() {
  status=0
  PATH=$tools:$PATH "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null || status=$?
  stdout=$(<"$scratch/stdout")
  stderr=$(<"$scratch/stderr")
}

# The same as a user without rights: nobody, where the tests run as root.
call_as_stranger() {
  if ((EUID == 0)); then
    call setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
  else
    call "$@"
  fi
}

# answer_as_stranger ANSWER COMMAND...: a user without rights on a terminal, who types the answer.
answer_as_stranger() {
  local -a stranger=()
  ((EUID != 0)) || stranger=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  (printf '%s\n' "$1"; sleep 0.5) | TERM=dumb PATH=$tools:$PATH \
    script -qec "$(printf '%q ' "${stranger[@]}" "${@:2}")" /dev/null >"$scratch/stdout" 2>&1 || true
  stdout=$(<"$scratch/stdout")
}

# start COMMAND...: the same in the background, as process $!, which an interrupt reaches.
start() {
  PATH=$tools:$PATH env --default-signal=INT "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null &
}

count_calls() { grep -c -- "^$1" "$calls" || true; }

# until_true COMMAND...: waits for it, 10 s at most.
until_true() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    ! "$@" || return 0
    sleep 0.1
  done
  fail "still not so: $*"
}
