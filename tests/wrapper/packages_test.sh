#!/usr/bin/env bash
# One test of the wrapper, of what it installs: packages_test.sh NAME WRAPPER.
set -euo pipefail

readonly name=$1 wrapper=$2
# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/machine.sh"

names_missing_packages() {
  machine_without libfmt-dev ninja-build

  call env DAMOCLES_NO_INSTALL=1 UNCONFIGURABLE=1 "$checkout/damocles" predict

  expect_equal "$status" 2
  expect_equal "$stdout" ""
  expect_in "apt-get install -y --no-install-recommends ninja-build libfmt-dev" "$stderr"
  expect_in "fmt not found" "$stderr"
  expect_not_in "libeigen3-dev" "$stderr"
  expect_equal "$(count_calls apt-get)" 0
}

needs_a_compiler_and_cmake() {
  machine_without g++
  rm "$tools/cmake"
  ln -s /usr/bin/* "$tools/" 2>/dev/null || true
  rm -f "$tools/c++"

  PATH=$tools call env DAMOCLES_NO_INSTALL=1 PATH="$tools" "$checkout/damocles" predict

  expect_equal "$status" 2
  expect_in "missing Debian packages: g++; as root: apt-get install" "$stderr"
  expect_lines 1 "$stderr"
}

takes_libraries_that_are_no_packages() {
  machine_without libfmt-dev

  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" predict

  expect_equal "$status" 7
}

installs_missing_packages() {
  machine_without libfmt-dev

  call "${as_root[@]}" "$checkout/damocles" predict

  # Whether the lists are absent or, as the first install pretends, stale: updated once, then installed.
  expect_equal "$status" 7
  expect_in "damocles: installing 3 Debian packages (4.5 MB to download, 17.3 MB on the disk): libfmt-dev and" "$stderr"
  expect_not_in "speaks" "$stdout$stderr"
  expect_equal "$(count_calls 'apt-get update')" 1
  expect_in "apt-get install -y --no-install-recommends libfmt-dev" "$(cat "$calls")"
  expect_equal "$(count_calls sudo)" 0
}

# installed_for COMMAND...: what of the optional packages is installed for it.
installed_for() {
  rm -rf "$checkout/build" "$scratch/updated"
  machine_without libtrilinos-zoltan-dev libopenmpi-dev libstarpu-dev python3-matplotlib libgtest-dev
  call "${as_root[@]}" "$checkout/damocles" "$@"
  sed -n 's/^apt-get install -y --no-install-recommends \(.*\) -o .*/\1/p' "$calls" | sort -u | tr '\n' ' '
}

installs_only_what_the_command_needs() {
  local hypergraph="libtrilinos-zoltan-dev libopenmpi-dev "
  mkdir -p "$tools"
  printf '#!/bin/sh\nexit 1\n' >"$tools/python3"  # one without matplotlib
  chmod +x "$tools/python3"
  printf 'platform = "gpus:k=2,memory=1GB"\n' >"$scratch/all.toml"
  printf 'strategies = ["darts", "hypergraph"]\n' >"$scratch/named.toml"

  expect_equal "$(installed_for compare outer:n=9 uniform:p=3 --strategies all)" ""
  expect_equal "$(installed_for simulate gemm2d:n=9 gpus:k=2,memory=9data)" ""
  expect_equal "$(installed_for run file:path=hypergraph.hgr gpus:k=2 --strategies=all)" ""
  expect_equal "$(installed_for simulate gemm2d:n=9 m.toml --strategies darts,hypergraph)" "$hypergraph"
  expect_equal "$(installed_for measured --strategies=HMETIS+R)" "$hypergraph"
  expect_equal "$(installed_for sweep "$scratch/all.toml")" ""
  expect_equal "$(installed_for sweep "$scratch/named.toml")" "$hypergraph"
  expect_equal "$(installed_for reproduce ipdps22.fig5-7)" ""
  expect_equal "$(installed_for plot runs.csv --where strategy=hypergraph)" "python3-matplotlib "
  expect_equal "$(installed_for compare gemm2d:n=9 gpus:k=1,memory=9data --strategies eager --backend starpu)" \
    "libstarpu-dev "
  expect_equal "$(installed_for test)" \
    "libtrilinos-zoltan-dev libopenmpi-dev libstarpu-dev python3-matplotlib libgtest-dev "
}

# The same machine with a package that no repository has: the others are installed without it.
installs_what_can_be_had() {
  machine_without libfmt-dev libopenblas-dev
  tool apt-get <<-SCRIPT
	[[ " \$* " != *" libopenblas-dev "* ]] || { echo "E: Unable to locate package libopenblas-dev"; exit 100; }
	[[ \$2 == --assume-no ]] || : >"$scratch/absent"
	SCRIPT

  call "${as_root[@]}" "$checkout/damocles" predict

  expect_equal "$status" 7
  expect_in "apt-get install -y --no-install-recommends libfmt-dev -o" "$(cat "$calls")"
}

goes_on_without_what_is_optional() {
  machine_without libtrilinos-zoltan-dev libopenblas-dev
  local -a named=("$checkout/damocles" simulate gemm2d:n=9 gpus:k=2,memory=9data --strategies hypergraph)

  call env DAMOCLES_NO_INSTALL=1 "${named[@]}"
  expect_equal "$status" 7
  expect_in "going on without the strategy hypergraph; missing Debian packages: libtrilinos-zoltan-dev" "$stderr"
  expect_in "going on without fast host kernels" "$stderr"

  call env DAMOCLES_NO_INSTALL=1 "${named[@]}"
  expect_equal "$status $stderr" "7 "

  rm -rf "$checkout/build"
  call "${as_root[@]}" env NO_NETWORK=1 "${named[@]}"
  expect_equal "$status" 7
  expect_in "going on without the strategy hypergraph" "$stderr"
  call "${as_root[@]}" env NO_NETWORK=1 "${named[@]}"
  expect_equal "$status $stderr" "7 "
}

# After a power cut apt refuses until dpkg has done what it began; the hint must not be hidden.
says_what_apt_refuses() {
  machine_without libfmt-dev
  tool apt-get <<<'[[ $2 == --assume-no ]] || { echo "E: dpkg was interrupted, you must manually run '"'dpkg --configure -a'"' to correct the problem."; exit 100; }'

  call "${as_root[@]}" "$checkout/damocles" predict

  expect_in "E: dpkg was interrupted, you must manually run 'dpkg --configure -a'" "$stderr"
}

tests_name_googletest_where_it_may_not_be_installed() {
  machine_without libgtest-dev

  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" test

  expect_equal "$status" 2
  expect_in "missing Debian packages: libgtest-dev" "$stderr"
  expect_equal "$(count_calls ninja)" 0
}

never_uses_sudo_without_a_terminal() {
  machine_without libopenblas-dev
  chmod -R 777 "$checkout"

  call_as_stranger "$checkout/damocles" predict

  expect_equal "$status" 7
  expect_in "going on without fast host kernels; missing Debian packages: libopenblas-dev; as root" "$stderr"
  expect_equal "$(count_calls sudo) $(count_calls apt-get)" "0 0"
}

with_sudo_asks_on_a_terminal() {
  machine_without libopenblas-dev
  chmod -R 777 "$checkout" "$scratch/absent" "$scratch"

  answer_as_stranger n "$checkout/damocles" predict
  expect_in "damocles: install 3 Debian packages (4.5 MB to download, 17.3 MB on the disk): libopenblas-dev" "$stdout"
  expect_in "with sudo? [y/n]" "$stdout"
  expect_in "<predict>" "$stdout"
  expect_equal "$(count_calls sudo) $(count_calls 'apt-get install -y')" "0 0"
  answer_as_stranger n "$checkout/damocles" predict
  expect_not_in "sudo" "$stdout"

  rm -rf "$checkout/build"
  answer_as_stranger y "$checkout/damocles" predict
  expect_in "<predict>" "$stdout"
  expect_in "sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libopenblas-dev" \
    "$(cat "$calls")"
  expect_equal "$(grep -c . "$scratch/absent" || true)" 0
}

asks_again_for_what_is_indispensable() {
  machine_without g++
  rm "$tools/cmake"
  ln -s /usr/bin/* "$tools/" 2>/dev/null || true
  rm -f "$tools/c++" "$tools/cmake"
  chmod -R 777 "$checkout" "$scratch"
  for _ in 1 2; do
    answer_as_stranger n env PATH="$tools" "$checkout/damocles" predict
    expect_in "g++ and what they need, with sudo? [y/n]" "$stdout"
    expect_in "missing Debian packages: g++; as root: apt-get install" "$stdout"
  done
}

asks_for_packages_once() {
  machine_without
  touch -d '1 minute ago' "$checkout/damocles"

  call "$checkout/damocles" predict
  call "$checkout/damocles" predict
  call "$checkout/damocles" simulate gemm2d:n=9 gpus:k=2 --strategies hypergraph
  call "$checkout/damocles" predict
  call "$checkout/damocles" simulate gemm2d:n=9 gpus:k=2 --strategies hypergraph

  expect_equal "$stderr" ""
  expect_equal "$(count_calls dpkg-query)" 1
  expect_equal "$(count_calls 'cmake -S')" 1
  expect_equal "$(count_calls 'ninja -C')" 2  # once for each kind of command
}

configures_again_when_packages_came() {
  machine_without libopenmpi-dev
  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" predict
  : >"$scratch/absent"
  touch -d '1 hour ago' "$checkout/build/.packages"
  touch "$checkout/damocles"  # as dpkg's own file would be

  call "$checkout/damocles" predict

  expect_equal "$status" 7
  expect_equal "$(count_calls 'cmake -S')" 2
  expect_in "-U MPI_*" "$(tail -n 3 "$calls")"
}

"$name"
