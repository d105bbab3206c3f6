#!/usr/bin/env bash
# The GPU suite as it will run on a GPU, every step of both windows, with the programs of the fake:
# suite_test.sh DAMOCLES CUDA_TESTS OUT_OF_CORE. Its blocks are small, as host threads compute them.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir "$work/build"
ln -s "$1" "$work/build/damocles"
ln -s "$2" "$work/build/damocles_cuda_tests"
ln -s "$3" "$work/build/damocles_out_of_core"
status=0
SUITE_TILE=16 SUITE_BLOCKS=8 SUITE_SKIP='*CopiesWhile*:*AreFaster*' \
  SUITE_BENCH="--size 32:64:100kB --peak-tile 64 --measure 0.005 --xt-blocks 32 --repetitions 1" \
  "$(dirname -- "$0")/../../suite.sh" "$work/build" "$work/out" || status=$?
cat "$work/out/summary.md"
((status == 0)) || { tail -n 60 "$work/out/suite.log"; exit 1; }

fail() {
  printf 'suite_test: %s\n' "$1" >&2
  exit 1
}
! grep -q 'failed' "$work/out/summary.md" || fail "a step failed"
! grep '| skipped |' "$work/out/summary.md" | grep -v compute-sanitizer || fail "a step was skipped"
for file in gpu_tests out_of_core comparisons; do
  [[ -s $work/out/$file.json ]] || fail "no $file.json"
done
(($(grep -c '^| darts |' "$work/out/summary.md") >= 3)) || fail "darts is not in every comparison"
