#!/usr/bin/env bash
# One test of the wrapper, of how it builds: build_test.sh NAME WRAPPER.
set -euo pipefail

readonly name=$1 wrapper=$2
# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/machine.sh"

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

builds_a_part_of_the_program_where_the_program_asks_for_it() {
  machine_without
  call "$checkout/damocles" predict
  expect_not_in _module "$(<"$calls")"
  : >"$calls"
  call env DAMOCLES_PARTS="execution prediction" "$checkout/damocles" predict
  expect_equal "$status" 7
  expect_in "a part that a first build leaves out, prediction" "$stderr"
  expect_in "damocles damocles_prediction_module damocles_execution_module" "$(<"$calls")"
  : >"$calls"
  call env DAMOCLES_PARTS=prediction "$checkout/damocles" list models
  expect_in damocles_prediction_module "$(<"$calls")"
  call "$checkout/damocles" list strategies
  expect_equal "$status $(count_calls ninja)" "7 1"

  # A part that is there must not outlive the sources that the program is built of.
  mkdir -p "$checkout/build/modules"
  touch "$checkout/build/modules/damocles_reports.so" "$checkout/CMakeLists.txt"
  : >"$calls"
  call "$checkout/damocles" predict
  expect_in damocles_reports_module "$(<"$calls")"
  expect_not_in damocles_execution_module "$(<"$calls")"
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

"$name"
