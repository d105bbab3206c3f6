#!/usr/bin/env bash
# One test of the wrapper: wrapper_test.sh NAME WRAPPER. A copy of it stands in an empty checkout,
# and the tools it calls are scripts that write down how they were called.
set -euo pipefail

readonly name=$1 wrapper=$2
scratch=$(readlink -f -- "$(mktemp -d)")
readonly scratch tools=$scratch/tools calls=$scratch/calls
trap 'rm -rf "$scratch"' EXIT
unset DAMOCLES_NO_INSTALL

fail() {
  printf 'FAILED %s: %s\n' "$name" "$1" >&2
  head -v -n 50 "$scratch"/stdout "$scratch"/stderr "$calls" >&2 || true
  exit 1
}
expect_equal() { [[ $1 == "$2" ]] || fail "expected '$2', got '$1'"; }
expect_in() { [[ $2 == *"$1"* ]] || fail "expected '$1' in '$2'"; }
expect_not_in() { [[ $2 != *"$1"* ]] || fail "expected no '$1' in '$2'"; }

# tool NAME: a tool with the body on standard input.
tool() {
  { printf '#!/usr/bin/env bash\nprintf "%%s\\n" "%s $*" >>"%s"\n' "$1" "$calls"; cat; } >"$tools/$1"
  chmod +x "$tools/$1"
}

# A machine with every package but those named, whose builds work.
machine_without() {
  mkdir -p "$tools" "$scratch/checkout"
  : >"$calls"
  cp "$wrapper" "$scratch/checkout/damocles"
  printf '%s\n' "$@" >"$scratch/absent"
  # Like the true one: two fields a package, a removed one has a status too, an unknown one no line.
  tool dpkg-query <<-SCRIPT
	shift 3
	for package; do
	  case \$package in
	    libfmt-dev) grep -qx libfmt-dev "$scratch/absent" && echo "libfmt-dev config-files" && continue ;;
	  esac
	  grep -qx "\$package" "$scratch/absent" || echo "\$package installed"
	done
	[[ ! -s "$scratch/absent" ]]
	SCRIPT
  tool apt-get <<-SCRIPT
	echo "apt-get speaks"
	[[ \$1 == update || -e "$scratch/updated" ]] || { touch "$scratch/updated"; exit 100; }
	touch "$scratch/updated"
	[[ \$1 != install ]] || : >"$scratch/absent"
	SCRIPT
  tool sudo <<<'exec "$@"'
  tool cmake <<-'SCRIPT'
	echo "cmake speaks"
	if [[ $1 == -S ]]; then
	  mkdir -p "$4"
	  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$2" >"$4/CMakeCache.txt"
	  sleep 0.3
	  touch "$4/build.ninja"
	elif [[ -n ${BROKEN:-} ]]; then
	  echo "error: no such thing"
	  exit 1
	else
	  mkdir -p "$2/experiments"
	  printf '#!/bin/sh\npwd\nprintf "<%%s>\\n" "$@"\nexit 7\n' >"$2/experiments/damocles"
	  chmod +x "$2/experiments/damocles"
	fi
	SCRIPT
}

# Runs the wrapper by the given path; sets status, stdout, stderr.
call() {
  status=0
  PATH=$tools:$PATH "$@" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
  stdout=$(<"$scratch/stdout")
  stderr=$(<"$scratch/stderr")
}

count_calls() { grep -c -- "^$1" "$calls" || true; }

names_missing_packages() {
  machine_without libfmt-dev ninja-build

  call env DAMOCLES_NO_INSTALL=1 "$scratch/checkout/damocles" list

  expect_equal "$status" 2
  expect_equal "$stdout" ""
  expect_in "apt-get install -y --no-install-recommends ninja-build libfmt-dev" "$stderr"
  expect_not_in "libeigen3-dev" "$stderr"
  expect_equal "$(count_calls apt-get)" 0
  expect_equal "$(count_calls cmake)" 0
}

installs_missing_packages() {
  machine_without libfmt-dev

  call "$scratch/checkout/damocles" list

  # Whether the lists are absent or, as the first install pretends, stale: updated once, then installed.
  expect_equal "$status" 7
  expect_in "missing Debian packages: libfmt-dev" "$stderr"
  expect_not_in "speaks" "$stdout$stderr"
  expect_equal "$(count_calls 'apt-get update')" 1
  expect_in "apt-get install -y --no-install-recommends libfmt-dev" "$(tail -n 3 "$calls")"
}

asks_for_packages_once() {
  machine_without
  touch -d '1 minute ago' "$scratch/checkout/damocles"

  call "$scratch/checkout/damocles" list
  call "$scratch/checkout/damocles" list

  expect_equal "$stderr" ""
  expect_equal "$(count_calls dpkg-query)" 1
  expect_equal "$(count_calls 'cmake -S')" 1
  expect_equal "$(count_calls 'cmake --build')" 2
}

leaves_arguments_directory_and_output_to_the_program() {
  machine_without
  mkdir -p "$scratch/else where" "$scratch/bin"
  ln -s ../checkout/damocles "$scratch/bin/dm"
  cd "$scratch/else where"

  call ../bin/dm predict 'a b' '*' ''

  expect_equal "$status" 7
  expect_equal "$stdout" "$scratch/else where"$'\n<predict>\n<a b>\n<*>\n<>'
  expect_equal "$(count_calls "cmake -S $scratch/checkout -B $scratch/checkout/build ")" 1
}

shows_the_build_only_where_it_fails() {
  machine_without

  call env BROKEN=1 "$scratch/checkout/damocles" list
  expect_equal "$status" 1
  expect_equal "$stdout" ""
  expect_in "error: no such thing" "$stderr"

  call "$scratch/checkout/damocles" list
  expect_equal "$status" 7
  expect_not_in "speaks" "$stdout$stderr"
}

builds_once_for_two_first_calls() {
  machine_without

  PATH=$tools:$PATH "$scratch/checkout/damocles" list >/dev/null 2>&1 &
  call "$scratch/checkout/damocles" list
  local other=0
  wait $! || other=$?

  expect_equal "$status $other" "7 7"
  expect_equal "$(count_calls 'cmake -S')" 1
}

configures_again_after_a_move() {
  machine_without
  call "$scratch/checkout/damocles" list
  mv "$scratch/checkout" "$scratch/moved"

  call "$scratch/moved/damocles" list

  expect_equal "$status" 7
  expect_equal "$(count_calls "cmake -S $scratch/moved")" 1
}

"$name"
