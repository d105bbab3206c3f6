#!/usr/bin/env bash
# One test of the wrapper: wrapper_test.sh NAME WRAPPER.
set -euo pipefail

readonly name=$1 wrapper=$2
# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/machine.sh"

# --- Packages -------------------------------------------------------------------------------------

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

# --- The program ----------------------------------------------------------------------------------

leaves_arguments_directory_and_output_to_the_program() {
  machine_without
  mkdir -p "$scratch/else where" "$scratch/bin"
  ln -s ../checkout/damocles "$scratch/bin/dm"
  cd "$scratch/else where"

  call ../bin/dm predict 'a b' '*' ''

  expect_equal "$status" 7
  expect_equal "$stdout" "$scratch/else where"$'\n<predict>\n<a b>\n<*>\n<>\nplots '
  expect_equal "$(count_calls "cmake -S $checkout -B $checkout/build ")" 1
}

works_from_any_path_and_shell() {
  machine_without
  local plain="$scratch/a  b'c é,~" odd="$scratch/\$(c)\"d;[x]*#"
  mv "$checkout" "$plain"

  call sh "$plain/damocles" predict
  expect_equal "$status" 7
  [[ -x $plain/build/experiments/damocles ]] || fail "not built there"
  call env -u HOME "$plain/damocles" predict 2>&-
  expect_equal "$status" 7

  # What CMake takes for its own language it does not see.
  mv "$plain" "$odd"
  call "$odd/damocles" predict
  expect_equal "$status" 7
  expect_in "plots $odd/plots" "$stdout"
  expect_in "such a name; building in $HOME/.cache/damocles/" "$stderr"
  expect_equal "$(count_calls "cmake -S $HOME/.cache/damocles/[0-9a-f]*/source -B $HOME/.cache/damocles/[0-9a-f]* ")" 1
}

test_help_builds_nothing() {
  machine_without

  call "$checkout/damocles" test -R x --help

  expect_equal "$status$stderr" 0
  expect_in "damocles test [ctest arguments]" "$stdout"
  expect_equal "$(cat "$calls")" ""
  [[ ! -e $checkout/build ]] || fail "it made a folder"
}

help_builds_nothing() {
  machine_without g++ libfmt-dev
  local words
  for words in "" help "help simulate" --help -h "simulate --help" version --version list "list strategies"; do
    # shellcheck disable=SC2086
    call "$checkout/damocles" $words
    case $words in
      list*)
        expect_equal "$status$stdout" 2
        expect_in "nothing is built yet, so there is nothing to list: run a command first" "$stderr"
        expect_lines 1 "$stderr"
        ;;
      *version) expect_equal "$status$stderr$stdout" "0damocles 1.2.3" ;;
      *)
        expect_equal "$status$stderr" 0
        expect_in "  ./damocles compare outer" "$stdout"
        ;;
    esac
  done
  expect_equal "$(cat "$calls")" ""
  [[ ! -e $checkout/build && ! -e $HOME/.cache ]] || fail "it made a folder"
}

help_comes_from_the_program_that_is_there() {
  machine_without
  call "$checkout/damocles" predict
  : >"$calls"
  call "$checkout/damocles" list strategies
  expect_equal "$status $stderr" "7 "
  expect_in "<strategies>" "$stdout"

  mkdir "$checkout/models"
  touch -d '1 minute' "$checkout/models/new.cpp"
  call "$checkout/damocles"
  expect_equal "$status" 7
  expect_in "the program is older than its sources" "$stderr"
  expect_lines 1 "$stderr"

  # Also while somebody builds, and where the program is in the user's own folder.
  flock "$checkout/build/.lock" sleep 3 &
  call "$checkout/damocles" help predict
  expect_in "<predict>" "$stdout"
  expect_not_in "waiting" "$stderr"
  mkdir -p "$HOME/.cache/damocles"
  mv "$checkout/build" "$HOME/.cache/damocles/$(printf '%s' "$checkout" | sha256sum | cut -c 1-16)"
  call "$checkout/damocles" list
  expect_equal "$status" 7
  expect_equal "$(cat "$calls")" ""
}

ignores_exported_shell_options() {
  machine_without

  call env SHELLOPTS=noclobber:noglob BASHOPTS=failglob:nocasematch "$checkout/damocles" predict
  expect_equal "$status $stderr" "7 damocles: building the program; this takes a few minutes, once"
  touch "$checkout/CMakeLists.txt"
  call env SHELLOPTS=noclobber "$checkout/damocles" predict
  expect_equal "$status $stderr" "7 "
}

tests_are_built_and_run() {
  machine_without

  call "$checkout/damocles" test -R EveryLaw

  expect_equal "$status" 9
  expect_in "ninja -C $checkout/build all" "$(cat "$calls")"
  expect_in "ctest --test-dir $checkout/build --output-on-failure --no-tests=error" "$(tail -n 1 "$calls")"
  expect_in "-R EveryLaw" "$(tail -n 1 "$calls")"

  # What ctest says of each test is left out, a failure and the summary are not.
  tool ctest <<-'SCRIPT'
	if [[ $* == *show-only* ]]; then
	  echo '{"tests": [{"name": "cli.a"}, {"name": "cli.b"}]}'
	  exit
	fi
	printf '1/2 Test #1: cli.a ....   Passed    1.00 sec\n2/2 Test #2: cli.b ....***Failed    1.00 sec\nwhy it failed\n\n'
	printf '50%% tests passed, 1 tests failed out of 2\n'
	exit 8
	SCRIPT
  call "$checkout/damocles" test
  expect_equal "$status" 8
  expect_in "2 tests; what each of them printed: $checkout/build/Testing/Temporary/LastTest.log" "$stdout"
  expect_in $'***Failed    1.00 sec\nwhy it failed\n' "$stdout"
  expect_not_in "Passed" "$stdout"
  expect_in "cli          1 passed, 1 failed" "$stdout"
  expect_equal "$(tail -n 1 "$scratch/stdout")" "50% tests passed, 1 tests failed out of 2"
}

# --- A build that is ready ------------------------------------------------------------------------

runs_what_is_ready_at_once() {
  machine_without
  touch -d '1 minute ago' "$checkout/damocles"
  call "$checkout/damocles" predict
  : >"$calls"
  local -a running=()
  local one other
  for one in 1 2 3 4 5 6 7 8; do
    PATH=$tools:$PATH "$checkout/damocles" predict $one >"$scratch/out$one" 2>&1 </dev/null &
    running+=($!)
  done
  for one in 1 2 3 4 5 6 7 8; do
    other=0
    wait "${running[one - 1]}" || other=$?
    expect_equal "$other" 7
    expect_in "<$one>" "$(<"$scratch/out$one")"
    expect_not_in waiting "$(<"$scratch/out$one")"
  done
  expect_equal "$(cat "$calls")" ""
}

waits_where_a_build_is_under_way() {
  machine_without
  call "$checkout/damocles" predict
  flock "$checkout/build/.lock" sleep 3 &
  sleep 0.3

  call "$checkout/damocles" predict

  expect_equal "$status" 7
  expect_in "waiting until this build is done" "$stderr"
}

# builds_again WHAT: the next call builds, and the one after it does not.
builds_again() {
  : >"$calls"
  call "$checkout/damocles" predict
  expect_equal "$1 $status $(count_calls ninja)" "$1 7 1"
  call "$checkout/damocles" predict
  expect_equal "after $1 $status $(count_calls ninja)" "after $1 7 1"
}

builds_again_after_any_change() {
  machine_without
  touch -d '1 minute ago' "$checkout/damocles"
  mkdir -p "$checkout/models/bounds" "$checkout/cmake"
  touch "$checkout/models/bounds/area.cpp" "$scratch/old.cpp"
  call "$checkout/damocles" predict

  touch "$checkout/models/bounds/area.cpp"
  builds_again "a source that changed"
  mv "$scratch/old.cpp" "$checkout/models/bounds"
  builds_again "a source that came"
  rm "$checkout/models/bounds/old.cpp"
  builds_again "a source that went"
  rm "$checkout/build/experiments/damocles"
  builds_again "a program that went"
  touch "$checkout/damocles"
  sleep 0.1
  builds_again "a wrapper that changed"

  # Some commands have another program made: that one is older than a change, too.
  call "$checkout/damocles" run --backend starpu
  touch "$checkout/models/bounds/area.cpp"
  call "$checkout/damocles" predict
  : >"$calls"
  call "$checkout/damocles" run --backend starpu
  expect_equal "$status $(count_calls ninja)" "7 1"

  # What changes while it builds may be in the program, or not.
  touch "$checkout/CMakeLists.txt"
  : >"$calls"
  start env SLOW=1 "$checkout/damocles" predict
  until_true grep -qsx 'ninja .*' "$calls"
  touch "$checkout/models/bounds/area.cpp"
  wait $! || true
  builds_again "a source that changed during the build"

  touch "$checkout/CMakeLists.txt"
  call env BROKEN="no such thing" "$checkout/damocles" predict
  expect_equal "$status" 1
  builds_again "a build that failed"
}

# --- While building -------------------------------------------------------------------------------

shows_the_build_only_where_it_fails() {
  machine_without

  call env BROKEN="no such thing" "$checkout/damocles" predict
  expect_equal "$status" 1
  expect_equal "$stdout" ""
  expect_in "error: no such thing" "$stderr"
  expect_in "all it wrote: $checkout/build/.log" "$stderr"
  expect_not_in "FAILED" "$stderr"

  call "$checkout/damocles" predict
  expect_equal "$status" 7
  expect_not_in "speaks" "$stdout$stderr"
}

names_the_cause_of_a_failure() {
  machine_without

  call env BROKEN="No space left on device" "$checkout/damocles" predict
  expect_in "no space left on the disk of $checkout/build" "$stderr"
  call env BROKEN="Killed signal terminated program cc1plus" "$checkout/damocles" predict
  expect_in "with one at a time: DAMOCLES_JOBS=1 $checkout/damocles" "$stderr"
  tool ninja <<<'kill -9 $$'
  call "$checkout/damocles" predict
  expect_in "with one at a time: DAMOCLES_JOBS=1 $checkout/damocles" "$stderr"
  build_tools
  call env DAMOCLES_JOBS=3 "$checkout/damocles" predict
  expect_in " -j 3 " "$(tail -n 1 "$calls")"
  call env DAMOCLES_JOBS=0 "$checkout/damocles" predict
  expect_equal "$status" 2
  expect_lines 1 "$stderr"
}

tells_how_far_it_is() {
  machine_without

  call env SLOW=7.5 "$checkout/damocles" predict

  expect_equal "$status" 7
  [[ $stderr =~ "building the program [1/2] after "[5-9]" s" ]] || fail "it does not say how far it is"
}

tells_on_a_terminal_in_one_line() {
  machine_without

  TERM=xterm SLOW=2.5 PATH=$tools:$PATH script -qec "$checkout/damocles predict" /dev/null \
    >"$scratch/stdout" </dev/null || true

  local line=$'\r\033[Kdamocles: building the program [1/2] 0:0'
  [[ $(<"$scratch/stdout") =~ "$line"[1-9]$'\r\033[K' ]] || fail "no line that changes"
}

builds_once_for_two_first_calls() {
  machine_without

  PATH=$tools:$PATH "$checkout/damocles" predict >/dev/null 2>&1 &
  call "$checkout/damocles" predict
  local other=0
  wait $! || other=$?

  expect_equal "$status $other" "7 7"
  expect_equal "$(count_calls 'cmake -S')" 1
}

says_whom_it_waits_for() {
  machine_without
  mkdir "$checkout/build"
  echo "999999999 $HOSTNAME ghost 01:02:03 damocles gone" >"$checkout/build/.lock"
  start env SLOW=2 "$checkout/damocles" predict $'a\nb'
  local first=$!
  until_true grep -qsx 'ninja .*' "$calls"

  call "$checkout/damocles" predict

  expect_equal "$status" 7
  expect_in "waiting until this build is done by process $first of $(id -un)" "$stderr"
  expect_in "damocles predict \$'a\\nb'" "$stderr"
  expect_not_in "ghost" "$stderr"
  expect_equal "$(<"$checkout/build/.lock")" ""
}

does_not_name_who_is_gone() {
  machine_without
  mkdir "$checkout/build"
  echo "999999999 $HOSTNAME ghost 01:02:03 damocles gone" >"$checkout/build/.lock"
  flock "$checkout/build/.lock" sleep 3 &

  sleep 0.3
  call "$checkout/damocles" predict

  expect_equal "$status" 7
  expect_in "by another call" "$stderr"
}

# ended_by SIGNAL: the status of a build that a signal meets; its children end too.
ended_by() {
  rm -rf "$checkout"
  machine_without
  tool ninja <<<'echo $$ >'"$scratch/ninja_pid"'; exec sleep 30'
  start "$checkout/damocles" predict
  local builder=$! status=0
  until_true test -s "$scratch/ninja_pid"
  local ninja
  ninja=$(<"$scratch/ninja_pid")
  kill "-$1" "$builder"
  wait "$builder" 2>/dev/null || status=$?
  gone() { ! kill -0 "$ninja" 2>/dev/null; }
  until_true gone
  rm "$scratch/ninja_pid"
  printf '%s' "$status"
}

ends_with_its_children_and_goes_on_next_time() {
  local signal
  for signal in INT:130 TERM:143 HUP:129 KILL:137; do
    expect_equal "$(ended_by "${signal%:*}")" "${signal#*:}"
    machine_without
    call "$checkout/damocles" predict
    expect_equal "$status" 7
    expect_not_in "waiting" "$stderr"
  done
}

# --- The folder it builds in ----------------------------------------------------------------------

ends_at_control_c_from_within_another_script() {
  machine_without
  tool ninja <<<'echo $$ >'"$scratch/ninja_pid"'; exec sleep 30'
  printf '#!/bin/sh\n"%s" predict\necho "status $?"\n' "$checkout/damocles" >"$scratch/outer"
  chmod +x "$scratch/outer"
  interrupt() { until_true test -s "$scratch/ninja_pid"; printf '\003'; sleep 1; }

  interrupt | PATH=$tools:$PATH script -qec "trap : INT; $scratch/outer" /dev/null >"$scratch/stdout" || true

  expect_in "interrupted; the next call goes on" "$(<"$scratch/stdout")"
  ! kill -0 "$(<"$scratch/ninja_pid")" 2>/dev/null || fail "the build goes on"
}

configures_again_after_a_move() {
  machine_without
  call "$checkout/damocles" predict
  mv "$checkout" "$scratch/moved"

  call "$scratch/moved/damocles" predict

  expect_equal "$status" 7
  expect_equal "$(count_calls "cmake -S $scratch/moved")" 1
}

starts_anew_with_a_cache_that_is_of_no_use() {
  machine_without libopenmpi-dev
  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" predict
  echo old >>"$checkout/build/CMakeCache.txt"
  rm "$checkout/build/.configured" "$checkout/build/build.ninja" "$checkout/build/.ready"
  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" predict
  expect_equal "$status" 7

  # The generator differs, and the wrapper asks CMake because packages came.
  echo old >>"$checkout/build/CMakeCache.txt"
  echo other >"$checkout/build/.configured"
  rm "$checkout/build/.ready"
  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" predict
  expect_equal "$status" 7
  expect_not_in old "$(<"$checkout/build/CMakeCache.txt")"
}

keeps_the_options_of_a_cache() {
  machine_without
  call "$checkout/damocles" predict
  echo other >"$checkout/build/.configured"
  rm "$checkout/build/.ready"

  call env UNCONFIGURABLE=1 "$checkout/damocles" predict

  expect_equal "$status" 1
  expect_in "fmt not found" "$stderr"
  [[ -e $checkout/build/CMakeCache.txt ]] || fail "the cache is gone"
}

refuses_a_build_that_is_no_folder() {
  machine_without
  touch "$checkout/build"
  call "$checkout/damocles" predict
  expect_equal "$status $stderr" "2 damocles: $checkout/build is no folder: move it away"
  rm "$checkout/build"
  ln -s nowhere "$checkout/build"
  call "$checkout/damocles" predict
  expect_equal "$status $stderr" "2 damocles: $checkout/build is no folder: move it away"

  mkdir "$checkout/nowhere"
  call "$checkout/damocles" predict
  expect_equal "$status" 7
}

mends_times_to_come() {
  machine_without
  mkdir "$checkout/models"
  touch -d 'next year' "$checkout/CMakeLists.txt" "$checkout/models/a b.cpp"

  call "$checkout/damocles" predict

  expect_equal "$status" 7
  expect_equal "$(find "$checkout" -newermt 'tomorrow')" ""
}

runs_what_somebody_else_built() {
  machine_without
  call "$checkout/damocles" predict
  chmod -R a-w "$checkout"
  : >"$calls"

  call_as_stranger "$checkout/damocles" predict

  expect_equal "$status $stderr" "7 "
  expect_equal "$(cat "$calls")" ""
}

builds_elsewhere_what_it_cannot_write() {
  machine_without
  mkdir "$checkout/models" "$scratch/cache"
  chmod 777 "$scratch/cache"
  call "$checkout/damocles" predict
  touch -d '1 minute' "$checkout/models/new.cpp"
  chmod -R a-w "$checkout"

  call_as_stranger env XDG_CACHE_HOME="$scratch/cache" "$checkout/damocles" predict

  expect_equal "$status" 7
  expect_in "$checkout/build cannot be written; building in $scratch/cache/damocles/" "$stderr"
  expect_in "plots $checkout/plots" "$stdout"
  call_as_stranger env XDG_CACHE_HOME="$scratch/cache" "$checkout/damocles" predict
  expect_equal "$status $stderr" "7 "
  expect_equal "$(count_calls "cmake -S $checkout -B $scratch/cache/damocles/")" 1
}

refuses_where_nothing_can_be_written() {
  machine_without
  chmod -R a-w "$checkout"

  call_as_stranger env HOME=/proc "$checkout/damocles" predict

  expect_equal "$status" 2
  expect_in "set XDG_CACHE_HOME" "$stderr"
  expect_lines 1 "$stderr"
}

"$name"
