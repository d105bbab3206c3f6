#!/usr/bin/env bash
# One test of the wrapper: wrapper_test.sh NAME WRAPPER.
set -euo pipefail

readonly name=$1 wrapper=$2
# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/machine.sh"

# --- Packages -------------------------------------------------------------------------------------

names_missing_packages() {
  machine_without libfmt-dev ninja-build

  call env DAMOCLES_NO_INSTALL=1 UNCONFIGURABLE=1 "$checkout/damocles" list

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

  PATH=$tools call env DAMOCLES_NO_INSTALL=1 PATH="$tools" "$checkout/damocles" list

  expect_equal "$status" 2
  expect_in "missing Debian packages: g++; as root: apt-get install" "$stderr"
  expect_lines 1 "$stderr"
}

takes_libraries_that_are_no_packages() {
  machine_without libfmt-dev

  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" list

  expect_equal "$status" 7
}

installs_missing_packages() {
  machine_without libfmt-dev

  call "$checkout/damocles" list

  # Whether the lists are absent or, as the first install pretends, stale: updated once, then installed.
  expect_equal "$status" 7
  expect_in "missing Debian packages: libfmt-dev" "$stderr"
  expect_not_in "speaks" "$stdout$stderr"
  expect_equal "$(count_calls 'apt-get update')" 1
  expect_in "apt-get install -y --no-install-recommends libfmt-dev" "$(cat "$calls")"
}

# installed_for COMMAND...: what of the optional packages is installed for it.
installed_for() {
  rm -rf "$checkout/build" "$scratch/updated"
  machine_without libtrilinos-zoltan-dev libopenmpi-dev libstarpu-dev python3-matplotlib libgtest-dev
  call "$checkout/damocles" "$@"
  sed -n 's/^apt-get install -y --no-install-recommends \(.*\) -o .*/\1/p' "$calls" | sort -u | tr '\n' ' '
}

installs_only_what_the_command_needs() {
  local hypergraph="libtrilinos-zoltan-dev libopenmpi-dev "
  mkdir -p "$tools"
  printf '#!/bin/sh\nexit 1\n' >"$tools/python3"  # one without matplotlib
  chmod +x "$tools/python3"
  printf 'platform = "gpus:k=2,memory=1GB"\n' >"$scratch/limited.toml"
  printf 'platform = "homogeneous:p=4"\n' >"$scratch/unlimited.toml"

  expect_equal "$(installed_for list)" ""
  expect_equal "$(installed_for compare outer:n=9 uniform:p=3 --strategies all)" ""
  expect_equal "$(installed_for simulate gemm2d:n=9 gpus:k=2,memory=9data --strategies eager,darts)" ""
  expect_equal "$(installed_for simulate gemm2d:n=9 gpus:k=2,memory=9data)" "$hypergraph"
  expect_equal "$(installed_for run gemm2d:n=9 gpus:k=2,memory=9data --strategies=all)" "$hypergraph"
  expect_equal "$(installed_for simulate gemm2d:n=9 m.toml --strategies darts,hypergraph)" "$hypergraph"
  expect_equal "$(installed_for simulate --help --strategies hypergraph)" ""
  expect_equal "$(installed_for sweep "$scratch/limited.toml")" "$hypergraph"
  expect_equal "$(installed_for sweep "$scratch/unlimited.toml")" ""
  expect_equal "$(installed_for reproduce hpdc14.fig6)" ""
  expect_equal "$(installed_for reproduce ipdps22.fig5-7)" "$hypergraph"
  expect_equal "$(installed_for plot runs.csv)" "python3-matplotlib "
  expect_equal "$(installed_for compare gemm2d:n=9 gpus:k=1,memory=9data --strategies eager --backend starpu)" \
    "libstarpu-dev "
  expect_equal "$(installed_for test)" \
    "libgtest-dev libstarpu-dev libtrilinos-zoltan-dev libopenmpi-dev python3-matplotlib "
}

goes_on_without_what_is_optional() {
  machine_without libtrilinos-zoltan-dev libopenblas-dev
  local -a limited=("$checkout/damocles" simulate gemm2d:n=9 gpus:k=2,memory=9data)

  call env DAMOCLES_NO_INSTALL=1 "${limited[@]}"
  expect_equal "$status" 7
  expect_in "going on without the strategy hypergraph; missing Debian packages: libtrilinos-zoltan-dev" "$stderr"
  expect_in "going on without fast host kernels" "$stderr"

  call env DAMOCLES_NO_INSTALL=1 "${limited[@]}"
  expect_equal "$status $stderr" "7 "

  rm -rf "$checkout/build"
  call env NO_NETWORK=1 "${limited[@]}"
  expect_equal "$status" 7
  expect_in "going on without the strategy hypergraph" "$stderr"
  call env NO_NETWORK=1 "${limited[@]}"
  expect_equal "$status $stderr" "7 "
}

tests_name_googletest_where_it_may_not_be_installed() {
  machine_without libgtest-dev

  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" test

  expect_equal "$status" 2
  expect_in "missing Debian packages: libgtest-dev" "$stderr"
  expect_equal "$(count_calls ninja)" 0
}

without_root_or_terminal_asks_for_no_password() {
  machine_without libopenblas-dev
  chmod 777 "$checkout"

  call_as_stranger env NO_SUDO=1 "$checkout/damocles" list

  expect_equal "$status" 7
  expect_equal "$(count_calls apt-get)" 0
}

asks_for_packages_once() {
  machine_without
  touch -d '1 minute ago' "$checkout/damocles"

  call "$checkout/damocles" list
  call "$checkout/damocles" list

  expect_equal "$stderr" ""
  expect_equal "$(count_calls dpkg-query)" 1
  expect_equal "$(count_calls 'cmake -S')" 1
  expect_equal "$(count_calls 'ninja -C')" 2
}

configures_again_when_packages_came() {
  machine_without libopenmpi-dev
  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" list
  : >"$scratch/absent"
  touch -d '1 hour ago' "$checkout/build/.packages"
  touch "$checkout/damocles"  # as dpkg's own file would be

  call "$checkout/damocles" list

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

  call sh "$plain/damocles" list
  expect_equal "$status" 7
  [[ -x $plain/build/experiments/damocles ]] || fail "not built there"
  call env -u HOME "$plain/damocles" list 2>&-
  expect_equal "$status" 7

  # What CMake takes for its own language it does not see.
  mv "$plain" "$odd"
  call "$odd/damocles" list
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

tests_are_built_and_run() {
  machine_without

  call "$checkout/damocles" test -R EveryLaw

  expect_equal "$status" 9
  expect_in "ninja -C $checkout/build all" "$(cat "$calls")"
  expect_in "ctest --test-dir $checkout/build --output-on-failure --no-tests=error" "$(tail -n 1 "$calls")"
  expect_in "-R EveryLaw" "$(tail -n 1 "$calls")"
}

# --- While building -------------------------------------------------------------------------------

shows_the_build_only_where_it_fails() {
  machine_without

  call env BROKEN="no such thing" "$checkout/damocles" list
  expect_equal "$status" 1
  expect_equal "$stdout" ""
  expect_in "error: no such thing" "$stderr"
  expect_in "all it wrote: $checkout/build/.log" "$stderr"
  expect_not_in "FAILED" "$stderr"

  call "$checkout/damocles" list
  expect_equal "$status" 7
  expect_not_in "speaks" "$stdout$stderr"
}

names_the_cause_of_a_failure() {
  machine_without

  call env BROKEN="No space left on device" "$checkout/damocles" list
  expect_in "no space left on the disk of $checkout/build" "$stderr"
  call env BROKEN="Killed signal terminated program cc1plus" "$checkout/damocles" list
  expect_in "with one at a time: DAMOCLES_JOBS=1 $checkout/damocles" "$stderr"
  tool ninja <<<'kill -9 $$'
  call "$checkout/damocles" list
  expect_in "with one at a time: DAMOCLES_JOBS=1 $checkout/damocles" "$stderr"
  build_tools
  call env DAMOCLES_JOBS=3 "$checkout/damocles" list
  expect_in " -j 3 " "$(tail -n 1 "$calls")"
  call env DAMOCLES_JOBS=0 "$checkout/damocles" list
  expect_equal "$status" 2
  expect_lines 1 "$stderr"
}

tells_how_far_it_is() {
  machine_without

  call env SLOW=7.5 "$checkout/damocles" list

  expect_equal "$status" 7
  [[ $stderr =~ "building the program [1/2] after "[5-9]" s" ]] || fail "it does not say how far it is"
}

tells_on_a_terminal_in_one_line() {
  machine_without

  TERM=xterm SLOW=2.5 PATH=$tools:$PATH script -qec "$checkout/damocles list" /dev/null \
    >"$scratch/stdout" </dev/null || true

  local line=$'\r\033[Kdamocles: building the program [1/2] 0:0'
  [[ $(<"$scratch/stdout") =~ "$line"[1-9]$'\r\033[K' ]] || fail "no line that changes"
}

builds_once_for_two_first_calls() {
  machine_without

  PATH=$tools:$PATH "$checkout/damocles" list >/dev/null 2>&1 &
  call "$checkout/damocles" list
  local other=0
  wait $! || other=$?

  expect_equal "$status $other" "7 7"
  expect_equal "$(count_calls 'cmake -S')" 1
}

says_whom_it_waits_for() {
  machine_without
  mkdir "$checkout/build"
  echo "999999999 $HOSTNAME ghost 01:02:03 damocles gone" >"$checkout/build/.lock"
  start env SLOW=2 "$checkout/damocles" list $'a\nb'
  local first=$!
  until_true grep -qsx 'ninja .*' "$calls"

  call "$checkout/damocles" list

  expect_equal "$status" 7
  expect_in "waiting until this build is done by process $first of $(id -un)" "$stderr"
  expect_in "damocles list \$'a\\nb'" "$stderr"
  expect_not_in "ghost" "$stderr"
  expect_equal "$(<"$checkout/build/.lock")" ""
}

does_not_name_who_is_gone() {
  machine_without
  mkdir "$checkout/build"
  echo "999999999 $HOSTNAME ghost 01:02:03 damocles gone" >"$checkout/build/.lock"
  flock "$checkout/build/.lock" sleep 1 &

  sleep 0.3
  call "$checkout/damocles" list

  expect_equal "$status" 7
  expect_in "by another call" "$stderr"
}

# ended_by SIGNAL: the status of a build that a signal meets; its children end too.
ended_by() {
  rm -rf "$checkout"
  machine_without
  tool ninja <<<'echo $$ >'"$scratch/ninja_pid"'; exec sleep 30'
  start "$checkout/damocles" list
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
    call "$checkout/damocles" list
    expect_equal "$status" 7
    expect_not_in "waiting" "$stderr"
  done
}

# --- The folder it builds in ----------------------------------------------------------------------

ends_at_control_c_from_within_another_script() {
  machine_without
  tool ninja <<<'echo $$ >'"$scratch/ninja_pid"'; exec sleep 30'
  printf '#!/bin/sh\n"%s" list\necho "status $?"\n' "$checkout/damocles" >"$scratch/outer"
  chmod +x "$scratch/outer"
  interrupt() { until_true test -s "$scratch/ninja_pid"; printf '\003'; sleep 1; }

  interrupt | PATH=$tools:$PATH script -qec "trap : INT; $scratch/outer" /dev/null >"$scratch/stdout" || true

  expect_in "interrupted; the next call goes on" "$(<"$scratch/stdout")"
  ! kill -0 "$(<"$scratch/ninja_pid")" 2>/dev/null || fail "the build goes on"
}

configures_again_after_a_move() {
  machine_without
  call "$checkout/damocles" list
  mv "$checkout" "$scratch/moved"

  call "$scratch/moved/damocles" list

  expect_equal "$status" 7
  expect_equal "$(count_calls "cmake -S $scratch/moved")" 1
}

starts_anew_with_a_cache_that_is_of_no_use() {
  machine_without libopenmpi-dev
  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" list
  echo old >>"$checkout/build/CMakeCache.txt"
  rm "$checkout/build/.configured" "$checkout/build/build.ninja"
  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" list
  expect_equal "$status" 7

  # The generator differs, and the wrapper asks CMake because packages came.
  echo old >>"$checkout/build/CMakeCache.txt"
  echo other >"$checkout/build/.configured"
  call env DAMOCLES_NO_INSTALL=1 "$checkout/damocles" list
  expect_equal "$status" 7
  expect_not_in old "$(<"$checkout/build/CMakeCache.txt")"
}

keeps_the_options_of_a_cache() {
  machine_without
  call "$checkout/damocles" list
  echo other >"$checkout/build/.configured"

  call env UNCONFIGURABLE=1 "$checkout/damocles" list

  expect_equal "$status" 1
  expect_in "fmt not found" "$stderr"
  [[ -e $checkout/build/CMakeCache.txt ]] || fail "the cache is gone"
}

refuses_a_build_that_is_no_folder() {
  machine_without
  touch "$checkout/build"
  call "$checkout/damocles" list
  expect_equal "$status $stderr" "2 damocles: $checkout/build is no folder: move it away"
  rm "$checkout/build"
  ln -s nowhere "$checkout/build"
  call "$checkout/damocles" list
  expect_equal "$status $stderr" "2 damocles: $checkout/build is no folder: move it away"

  mkdir "$checkout/nowhere"
  call "$checkout/damocles" list
  expect_equal "$status" 7
}

mends_times_to_come() {
  machine_without
  mkdir "$checkout/models"
  touch -d 'next year' "$checkout/CMakeLists.txt" "$checkout/models/a b.cpp"

  call "$checkout/damocles" list

  expect_equal "$status" 7
  expect_equal "$(find "$checkout" -newermt 'tomorrow')" ""
}

runs_what_somebody_else_built() {
  machine_without
  call "$checkout/damocles" list
  chmod -R a-w "$checkout"
  : >"$calls"

  call_as_stranger "$checkout/damocles" list

  expect_equal "$status $stderr" "7 "
  expect_equal "$(cat "$calls")" ""
}

builds_elsewhere_what_it_cannot_write() {
  machine_without
  mkdir "$checkout/models" "$scratch/cache"
  chmod 777 "$scratch/cache"
  call "$checkout/damocles" list
  touch -d '1 minute' "$checkout/models/new.cpp"
  chmod -R a-w "$checkout"

  call_as_stranger env XDG_CACHE_HOME="$scratch/cache" "$checkout/damocles" list

  expect_equal "$status" 7
  expect_in "$checkout/build cannot be written; building in $scratch/cache/damocles/" "$stderr"
  expect_in "plots $checkout/plots" "$stdout"
  call_as_stranger env XDG_CACHE_HOME="$scratch/cache" "$checkout/damocles" list
  expect_equal "$status $stderr" "7 "
  expect_equal "$(count_calls "cmake -S $checkout -B $scratch/cache/damocles/")" 1
}

refuses_where_nothing_can_be_written() {
  machine_without
  chmod -R a-w "$checkout"

  call_as_stranger env HOME=/proc "$checkout/damocles" list

  expect_equal "$status" 2
  expect_in "set XDG_CACHE_HOME" "$stderr"
  expect_lines 1 "$stderr"
}

"$name"
