#!/usr/bin/env bash
# One test of the wrapper, of when it builds the CUDA backend: cuda_test.sh NAME WRAPPER.
set -euo pipefail

readonly name=$1 wrapper=$2
# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/machine.sh"

readonly run=(run "gemm2d:n=4,tile=8,k=8" gpus:k=1 --strategies eager)

# toolkit_of VERSION: a machine with that compiler of CUDA, and older than its build.
toolkit_of() {
  machine_without
  touch -d '1 minute ago' "$checkout/damocles"
  tool nvcc <<<"echo 'nvcc: NVIDIA (R) Cuda compiler driver'; echo 'Cuda compilation tools, release $1, V$1.82'"
}

# The words of the last call of CMake that are about CUDA.
told_cmake() { grep '^cmake -S' "$calls" | tail -n 1 | grep -oE -- '-D (DAMOCLES_CUDA|CMAKE_CUDA_COMPILER)=[^ ]*' | tr '\n' ' ' || true; }

is_built_where_it_is_named_and_then_kept() {
  toolkit_of 12.5
  call "$checkout/damocles" predict
  expect_equal "$status $(told_cmake)" "7 "

  call "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status" 7
  expect_equal "$(told_cmake)" "-D DAMOCLES_CUDA=ON -D CMAKE_CUDA_COMPILER=$tools/nvcc "
  expect_equal "$stderr" "damocles: building the CUDA backend by $tools/nvcc; this takes a few minutes, once"

  # What is there is not made again, with these words or without.
  : >"$calls"
  call "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status $stderr$(cat "$calls")" "7 "
  call "$checkout/damocles" predict
  call "$checkout/damocles" calibrate --backend=cuda
  expect_equal "$status $(count_calls cmake)" "7 0"
  touch "$checkout/CMakeLists.txt"
  call "$checkout/damocles" predict
  expect_equal "$status $(count_calls cmake) $(grep '^DAMOCLES_CUDA' "$checkout/build/CMakeCache.txt")" "7 0 DAMOCLES_CUDA:BOOL=ON"
}

is_built_where_the_environment_asks_for_it() {
  toolkit_of 13.0

  call env DAMOCLES_CUDA=1 "$checkout/damocles" predict
  expect_equal "$status $(told_cmake)" "7 -D DAMOCLES_CUDA=ON -D CMAKE_CUDA_COMPILER=$tools/nvcc "

  : >"$calls"
  call env DAMOCLES_CUDA=0 "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status $stdout$(cat "$calls")" "2 "
  expect_equal "$stderr" \
    "damocles: DAMOCLES_CUDA=0 leaves out the CUDA backend, and --backend cuda wants it: unset DAMOCLES_CUDA"
  call env DAMOCLES_CUDA=on "$checkout/damocles" predict
  expect_equal "$status $stderr" \
    "2 damocles: DAMOCLES_CUDA is 'on'; give 1 to build the CUDA backend, or 0 to leave it out"

  # It takes out what was built, and what was ready before is not taken for ready.
  call env DAMOCLES_CUDA=0 "$checkout/damocles" predict
  expect_equal "$status $(told_cmake)" "7 -D DAMOCLES_CUDA=OFF "
  call env DAMOCLES_CUDA=1 "$checkout/damocles" predict
  expect_equal "$status $(told_cmake)" "7 -D DAMOCLES_CUDA=ON -D CMAKE_CUDA_COMPILER=$tools/nvcc "
}

help_and_lists_build_nothing() {
  toolkit_of 12.5
  call "$checkout/damocles" predict
  : >"$calls"

  call env DAMOCLES_CUDA=1 "$checkout/damocles" list backends
  call "$checkout/damocles" "${run[@]}" --backend cuda --help

  expect_equal "$status $(cat "$calls")" "7 "
}

needs_a_toolkit_that_is_new_enough() {
  toolkit_of 12.4
  call "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status $stderr" "2 damocles: the CUDA backend needs CUDA 12.5 or later, and $tools/nvcc is of 12.4: set CUDA_PATH to the folder of a later one"
  expect_equal "$(count_calls cmake) $(count_calls ninja) $(count_calls dpkg-query)" "0 0 0"

  toolkit_of 12.10
  call "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status" 7

  rm -rf "$checkout/build"
  tool nvcc <<<'echo "nvcc fatal: broken"'
  call "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status $stderr" "2 damocles: $tools/nvcc does not say which version of CUDA it is of: set CUDA_PATH to the folder of CUDA 12.5 or later"
}

says_where_no_driver_is_before_it_builds() {
  toolkit_of 12.5
  tool ldconfig <<<'echo "libc.so.6 (libc6,x86-64) => /lib/libc.so.6"'

  call "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status $stdout" "2 "
  expect_equal "$stderr" "damocles: no CUDA driver was found (libcuda.so.1), so no GPU can be used: see nvidia-smi, or use --backend host; DAMOCLES_CUDA=1 builds the backend all the same"
  expect_equal "$(count_calls cmake) $(count_calls ninja) $(count_calls dpkg-query)" "0 0 0"

  # On a login node, which only compiles.
  call env DAMOCLES_CUDA=1 "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status $(told_cmake)" "7 -D DAMOCLES_CUDA=ON -D CMAKE_CUDA_COMPILER=$tools/nvcc "
}

says_where_no_toolkit_is() {
  machine_without
  ln -s /usr/bin/* "$tools/" 2>/dev/null || true
  rm -f "$tools/nvcc"
  PATH=$tools call env PATH="$tools" CUDA_PATH="$scratch/cuda" "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status $stdout" "2 "
  expect_equal "$stderr" "damocles: the CUDA backend needs the CUDA toolkit, 12.5 or later, and there is no nvcc on the PATH or in $scratch/cuda/bin: install it, set CUDA_PATH to its folder, or use --backend host"

  toolkit_of 12.6
  mkdir -p "$scratch/cuda/bin"
  mv "$tools/nvcc" "$scratch/cuda/bin/"
  PATH=$tools call env PATH="$tools" CUDA_PATH="$scratch/cuda" "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status $(told_cmake)" "7 -D DAMOCLES_CUDA=ON -D CMAKE_CUDA_COMPILER=$scratch/cuda/bin/nvcc "
}

a_build_that_fails_spoils_no_other() {
  toolkit_of 12.5
  call "$checkout/damocles" predict

  call env UNCONFIGURABLE=1 "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status" 1
  expect_in "could not configure the build with the CUDA backend of $tools/nvcc" "$stderr"
  call "$checkout/damocles" predict
  expect_equal "$status $(told_cmake)" "7 "

  call env BROKEN="no such kernel" "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status" 1
  expect_in "no such kernel" "$stderr"
  expect_in "to build without the CUDA backend: DAMOCLES_CUDA=0 $checkout/damocles ..." "$stderr"
  call env DAMOCLES_CUDA=0 "$checkout/damocles" predict
  expect_equal "$status $(told_cmake)" "7 -D DAMOCLES_CUDA=OFF "

  # A cache of another machine is thrown away, and what was wanted is told anew.
  call "$checkout/damocles" "${run[@]}" --backend cuda
  echo old >>"$checkout/build/CMakeCache.txt"
  rm "$checkout/build/.configured"
  touch "$checkout/CMakeLists.txt"
  call "$checkout/damocles" "${run[@]}" --backend cuda
  expect_equal "$status $(told_cmake)" "7 -D DAMOCLES_CUDA=ON -D CMAKE_CUDA_COMPILER=$tools/nvcc "
}

"$name"
