# The steps of .ci/run and .ci/full, which source this file.
set -euo pipefail
cd "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

readonly clang_format=clang-format-14  # Debian 12's; other versions break lines elsewhere

# Where a sanitized program is linked with OpenMP: threads that have nothing to do leave the others alone.
export OMP_WAIT_POLICY=passive

# Prints the step's name and the minutes since the start.
heading() { printf '\n== %s (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }

apt_get() { DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >/dev/null; }

# Installs a package unless its tool is there: need TOOL PACKAGE
need() {
  command -v "$1" >/dev/null || {
    apt_get update
    apt_get install -y --no-install-recommends "$2"
  }
}

# Installs packages unless all are there: need_packages PACKAGE...
need_packages() {
  dpkg-query -W "$@" >/dev/null 2>&1 || {
    apt_get update
    apt_get install -y --no-install-recommends "$@"
  }
}

sources() {
  git -c safe.directory="$PWD" ls-files -z -- '*.cpp' '*.hpp' '*.cu' 2>/dev/null ||
    find . -name .git -prune -o -path './build*' -prune -o \
      \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' \) -print0
}

check_format() {
  heading "Format ($clang_format)"
  need "$clang_format" "$clang_format"
  sources | xargs -0 -r "$clang_format" --dry-run --Werror
  echo "well formatted"
}

# The first command that README shows: the wrapper installs what the program needs, builds and runs it.
run_program() {
  heading "The program, by its wrapper"
  local command
  command=$(sed -n 's/^[$] \(\.\/damocles .*\)/\1/p' README.md | head -n 1)
  echo "$command"
  bash -c "${command:?README.md shows no command}"
}

# The Python package, in the folder of the program: its tests and the notebooks are among all tests then.
build_python_package() {
  heading "The Python package, by the wrapper"
  need_packages python3-pandas  # without it the tests of DataFrames are skipped
  ./damocles python
}

# The commit that the change begins at: where it left main, or on main itself the last commit. Nothing
# where there is no history: no repository, or a clone of one commit.
base_of_change() {
  local git=(git -c "safe.directory=$PWD") main base
  for main in origin/main main; do
    base=$("${git[@]}" merge-base HEAD "$main" 2>/dev/null) || continue
    [[ $base == "$("${git[@]}" rev-parse HEAD)" ]] || break
    base=
  done
  echo "${base:-$("${git[@]}" rev-parse --quiet --verify HEAD~1 2>/dev/null || true)}"
}

# clang-tidy on the united sources that hold what changed; the preset `tidy` reads the whole
# tree, a quarter of an hour of clang-tidy on two cores. A header stands for the source of its name.
check_changed_files() {
  local -r most=8
  heading "clang-tidy on what changed"
  local base
  base=$(base_of_change)
  if [[ -z $base ]]; then
    echo "skipped: no earlier commit is known here"
    return
  fi
  local -a files
  cmake -S . -B build/tidy -G Ninja -DDAMOCLES_UNITY=ON -DDAMOCLES_BENCH=OFF >/dev/null
  mapfile -t files < <(git -c "safe.directory=$PWD" diff --name-only --diff-filter=d "$base" -- \
    '*.cpp' '*.hpp' | sed 's/\.hpp$/.cpp/' | sort -u | while read -r file; do
      grep -lrF --include='*.cxx' "/$file\"" build/tidy ||
        ! grep -qF "$PWD/$file\"" build/tidy/compile_commands.json || echo "$file"
    done | sort -u)
  if ((${#files[@]} > most)); then
    echo "skipped, as only $most are checked here: ${files[*]:most}"
    files=("${files[@]:0:most}")
  fi
  if ((${#files[@]} == 0)); then
    echo "no source changed since $base"
    return
  fi
  need clang-tidy-14 clang-tidy-14
  cmake --build build/tidy --target damocles_version damocles_measured >/dev/null
  printf '%s\n' "${files[@]}" |
    xargs -P "$(nproc)" -n 1 clang-tidy-14 --quiet -p build/tidy 2>/dev/null
  echo "clean: ${files[*]##*/}"
}

# Runs a test program, a part of its tests on each core: run_in_shards PROGRAM FILTER. ctest would start
# a process for each of them, which takes a sanitizer longer than most tests.
run_in_shards() {
  local shards shard failed=0
  local -a running=()
  shards=$(nproc)
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard \
      timeout 1500 "${fixed_addresses[@]}" "$1" "--gtest_filter=$2" >"$1.$shard.log" 2>&1 &
    running+=($!)
  done
  for ((shard = 0; shard < shards; ++shard)); do
    wait "${running[shard]}" && grep -q '^\[  PASSED  \] [1-9]' "$1.$shard.log" || {
      failed=1
      echo "$1, part $shard of $shards, failed:"
      grep -E -A 12 '^\[  FAILED|: Failure$|ERROR|WARNING: Thread' "$1.$shard.log" | head -n 200 || true
      tail -n 80 "$1.$shard.log"
    }
  done
  ((!failed)) && sed -n 's/^\[  PASSED  \]/passed/p' "$1".*.log
}

# Prints what a test preset leaves out as a GoogleTest filter: filter_of PRESET
filter_of() {
  python3 - "$1" <<'PYTHON'
import json, sys
with open("CMakePresets.json", encoding="utf-8") as file:
    preset = next(one for one in json.load(file)["testPresets"] if one["name"] == sys.argv[1])
print("-" + ":".join(f"*{name}*" for name in preset["filter"]["exclude"]["name"].split("|")))
PYTHON
}

# Builds test programs in a preset and runs their unit tests: sanitized_unit_tests PRESET TARGET...
sanitized_unit_tests() {
  heading "Building the unit tests, preset $1"
  # Without it GCC 12's thread sanitizer stops where the kernel randomises 32 bits of an address.
  local -a fixed_addresses=(setarch "$(uname -m)" -R)
  "${fixed_addresses[@]}" true 2>/dev/null || fixed_addresses=()
  local target filter
  filter=$(filter_of "$1")
  cmake --preset "$1" >/dev/null
  "${fixed_addresses[@]}" cmake --build --preset "$1" --target "${@:2}" -- --quiet
  for target in "${@:2}"; do
    heading "$target, preset $1"
    run_in_shards "build-$1/tests/$target" "$filter"
  done
}

# What changed since the base, below these folders: changed_below FOLDER...
changed_below() {
  local base
  base=$(base_of_change)
  [[ -n $base ]] && git -c "safe.directory=$PWD" diff --name-only "$base" -- "$@"
}

# The rooms whose sources or tests changed, those with most changes first, as long as there is time to
# begin another one. The first takes longest, as it builds the rooms below.
sanitize_changed_rooms() {
  local -r last_start_s=1500
  local -a rooms
  mapfile -t rooms < <(changed_below {,tests/}{models,orders,strategies,sim,ode,gpu,experiments} |
    sed 's|^tests/||; s|/.*||' | sort | uniq -c | sort -rn | awk '{ print $2 }')
  local room
  for room in "${rooms[@]}"; do
    if ((SECONDS > last_start_s)); then
      heading "No time is left for sanitizers on $room: bash .ci/full sanitize"
      continue
    fi
    sanitized_unit_tests sanitize "damocles_${room}_tests"
  done
}

# A short run of libFuzzer on each reader of files.
fuzz_readers() {
  heading "Fuzzing the file readers, preset fuzz"
  need clang++ clang
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz -- --quiet
  ctest --preset fuzz --no-tests=error
}

# The cuda device: compiled with every warning an error, linked, and tested as far as that goes
# without a GPU. Tests that want one are skipped, for the reason that stands below the summary.
build_cuda() {
  heading "The cuda device, preset cuda"
  if ! command -v nvcc >/dev/null && [[ ! -x /usr/local/cuda/bin/nvcc ]]; then
    echo "not built: there is no nvcc, neither on the PATH nor in /usr/local/cuda/bin"
    return
  fi
  cmake --preset cuda -DDAMOCLES_UNITY=ON >/dev/null
  cmake --build --preset cuda --target damocles damocles_cuda_tests damocles_fake_cuda_tests \
    damocles_out_of_core damocles_fake_out_of_core damocles_fake -- --quiet
  ctest --preset cuda --no-tests=error -j "$(nproc)"
  build-cuda/tests/gpu/cuda/damocles_cuda_tests --gtest_filter=CudaDevice.ClearsMemory |
    sed -n 's/^no CUDA device: /skipped, as there is no CUDA device: /p'
}

build_changed_cuda() {
  if [[ -n $(changed_below gpu tests/gpu tests/bench/out_of_core cmake CMakeLists.txt) ]]; then build_cuda; fi
}

# The device's host side on the fake CUDA of host threads, under the address sanitizer.
sanitize_cuda_host_side() {
  heading "The cuda device's host side, sanitized"
  local -r folder=build-cuda-sanitize
  cmake --preset sanitize -B "$folder" -DDAMOCLES_CUDA=ON >/dev/null
  cmake --build "$folder" --target damocles_fake_cuda_tests -- --quiet
  ctest --test-dir "$folder" --no-tests=error -j "$(nproc)" --output-on-failure \
    -R '^FakeGpu\.' -E 'FakeGpu\.(Calibrate|Timed|Suite|OutOfCore)'
}

# Configures a preset in an empty folder and builds all of it: build_from_scratch PRESET [CMAKE_OPTION...]
build_from_scratch() {
  heading "Build from scratch, preset $1 ${*:2}"
  local -r folder=build-scratch-$1
  rm -rf "$folder"
  cmake --preset "$1" -B "$folder" "${@:2}" >/dev/null
  cmake --build "$folder" -- --quiet -k 0
}

# Builds a preset from scratch and runs its unit tests, which take hours where nothing is optimised.
check_from_scratch() {
  build_from_scratch "$@" -DCMAKE_CXX_FLAGS_DEBUG=-O1
  ctest --test-dir "build-scratch-$1" --no-tests=error -j "$(nproc)" -L '^unit$' --output-on-failure
  rm -rf "build-scratch-$1"
}

# The wrapper installs what the tests need too; the presets below find it. run_tests [CTEST ARGUMENT...]
run_tests() {
  # They open the pages of `report`, and count instructions; users test without them.
  need chromium chromium
  need valgrind valgrind
  ./damocles test "$@" | tee build/tests.log
  /usr/bin/python3 -B tests/check_skips.py build/Testing/Temporary/LastTest.log
}

run_quick_tests() {
  heading "All tests but slow ones"
  run_tests -LE '^slow$'
}

run_all_tests() {
  heading "All tests"
  run_tests -L .
}

summarise() {
  heading "Done; the tests again in short"
  sed -n '/tests passed/,$p' build/tests.log
}
