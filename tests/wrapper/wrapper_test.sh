#!/usr/bin/env bash
# One test of the wrapper, of where it builds and what it runs: wrapper_test.sh NAME WRAPPER.
set -euo pipefail

readonly name=$1 wrapper=$2
# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/machine.sh"

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

docs_builds_the_site_and_no_program() {
  machine_without mkdocs-material
  # shellcheck disable=SC2016  # they are mkdocs's
  tool mkdocs <<<'[[ $1 == build && $3 == -f && $5 == -d ]] && mkdir -p "$6" && echo "<html>" >"$6/index.html"'

  call "${as_root[@]}" "$checkout/damocles" docs

  expect_equal "$status" 0
  expect_equal "$stdout" "$checkout/build/site/index.html"
  [[ -e $checkout/build/site/index.html ]] || fail "no site"
  expect_in "installing 3 Debian packages" "$stderr"
  expect_in "mkdocs-material" "$stderr"
  expect_equal "$(count_calls "apt-get install -y --no-install-recommends mkdocs-material")" 2
  expect_equal "$(count_calls cmake)$(count_calls ninja)" 00

  call "$checkout/damocles" docs --help
  expect_equal "$status$stderr" 0
  expect_in "damocles docs:" "$stdout"
  call "$checkout/damocles" docs howto
  expect_equal "$status" 2
  expect_in "docs takes no arguments, but got 'howto'" "$stderr"
}

python_builds_the_package_and_says_how_to_import_it() {
  machine_without pybind11-dev

  call "${as_root[@]}" "$checkout/damocles" python

  expect_equal "$status" 0
  expect_equal "${stdout%%$'\n'*}" "export PYTHONPATH=$checkout/build/python"
  expect_equal "$(count_calls "apt-get install -y --no-install-recommends pybind11-dev")" 2
  expect_equal "$(count_calls "cmake .*-D DAMOCLES_PYTHON_PACKAGE=ON")" 1
  expect_equal "$(count_calls "ninja .* damocles_python")" 1

  call "$checkout/damocles" python --help
  expect_equal "$status$stderr" 0
  expect_in "damocles python:" "$stdout"
  call "$checkout/damocles" python 3
  expect_equal "$status" 2
  expect_in "python takes no arguments, but got '3'" "$stderr"
}

python_names_the_package_that_is_missing() {
  machine_without pybind11-dev

  DAMOCLES_NO_INSTALL=1 call "$checkout/damocles" python

  expect_equal "$status" 2
  expect_in "missing Debian packages: python3-dev python3-numpy pybind11-dev; as root: apt-get install" "$stderr"
}

archive_packs_the_program_and_says_where_it_is() {
  machine_without
  tool ninja <<<'echo "[1/1] Packing"; echo "$2/damocles-1.2.3-Linux-x86_64.tar.gz"'

  call "$checkout/damocles" archive

  expect_equal "$status $stdout" "0 $checkout/build/damocles-1.2.3-Linux-x86_64.tar.gz"
  expect_equal "$(count_calls "ninja .* package")" 1

  call "$checkout/damocles" archive --help
  expect_equal "$status$stderr" 0
  expect_in "damocles archive:" "$stdout"
  call "$checkout/damocles" archive here
  expect_equal "$status" 2
  expect_in "archive takes no arguments, but got 'here'" "$stderr"
}

docs_names_the_package_that_is_missing() {
  machine_without mkdocs-material
  tool mkdocs <<<'echo "ERROR: Unrecognised theme"; exit 1'  # one without the theme

  DAMOCLES_NO_INSTALL=1 call "$checkout/damocles" docs

  expect_equal "$status" 2
  expect_equal "$stdout" ""
  expect_in "missing Debian packages: mkdocs-material; as root: apt-get install" "$stderr"
}

docs_shows_why_the_site_could_not_be_built() {
  machine_without
  tool mkdocs <<<'echo "ERROR: no such page"; exit 1'

  call "$checkout/damocles" docs

  expect_equal "$status" 1
  expect_in "no such page" "$stderr"
  expect_in "the site could not be built; all it wrote: $checkout/build/.log" "$stderr"
}

help_builds_nothing() {
  machine_without g++ libfmt-dev
  local words
  for words in "" help "help simulate" --help -h "simulate --help" version --version list "list strategies"; do
    # shellcheck disable=SC2086
    call "$checkout/damocles" $words
    case $words in
      list*)
        expect_equal "$status" 0
        expect_in "the program, which prints the lists, is not built yet: run a command first" "$stderr"
        expect_lines 1 "$stderr"
        expect_in "docs/reference/strategies.md" "$stdout"
        ;;
      *version) expect_equal "$status$stderr$stdout" "0damocles 1.2.3" ;;
      *)
        expect_equal "$status$stderr" 0
        expect_in "  ./damocles simulate gemm2d" "$stdout"
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
  local minutes=$((5 / $(nproc))) time="a minute"
  ((minutes < 2)) || time="$minutes minutes"
  expect_equal "$status $stderr" "7 damocles: building the program; this takes about $time where nothing else runs, once"
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
  expect_not_in "-LE" "$(tail -n 1 "$calls")"
  call "$checkout/damocles" test
  expect_in "-LE ^slow$" "$(tail -n 1 "$calls")"
  expect_in "slow ones apart: ./damocles test -L slow" "$stderr"

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
