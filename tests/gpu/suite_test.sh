#!/usr/bin/env bash
# tests/gpu/suite.sh with stubs in the place of its programs: what it makes of their ends.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir -p "$work/build/deep/er"

fail() {
  printf 'FAILED: %s\n' "$1" >&2
  [[ -f $work/out/summary.md ]] && cat "$work/out/summary.md" >&2
  exit 1
}

stub() {
  { printf '#!/usr/bin/env bash\n' && cat; } >"$work/build/deep/$1"
  chmod +x "$work/build/deep/$1"
}

# The suite's exit status; what it says goes to $work/said.
suite() {
  rm -rf "$work/out"
  local status=0
  "$here/suite.sh" "$work/build" "$work/out" "$@" >"$work/said" 2>&1 || status=$?
  printf '%s' "$status"
}

expect() { [[ $1 == "$2" ]] || fail "$3: $1, not $2"; }
summary_has() { [[ $(<"$work/out/summary.md") == *"$1"* ]] || fail "the summary lacks '$1'"; }

good_damocles() {
  stub damocles <<STUB
parts="${1:-}"
multiprocessors="${2:-132}"
$(cat <<'STUB2'
out=/dev/stdout
for ((i = 1; i <= $#; ++i)); do [[ ${!i} == -o ]] && next=$((i + 1)) && out=${!next}; done
case $1 in
  calibrate)
    printf '# damocles calibrate x\n# NVIDIA Stub (cuda), driver 1; measured 2026-11-21\n' >"$out"
    printf '# processor 0: %s\n' "$parts" >>"$out"
    printf '[[gpus]]  # processor 0, %s SMs; alone 1 GFlop/s\n' "$multiprocessors" >>"$out"
    printf '# unlimited memory, in tasks a second: speeds:1.5,2e+03\n' >>"$out"
    ;;
  compare)
    printf '%s\n' "$*" >>"$COMPARED"
    cat >"$out" <<'JSON'
{
  "records": [{"strategy": "none of the table"}],
  "agreement": [
    {
      "strategy": "eager",
      "predicted": null,
      "simulated": 1.25,
      "executed": 1.26,
      "difference": 0.01,
      "allowed": 0.02,
      "makespan_error": -0.03,
      "verdict": "within"
    }
  ],
  "execution": {"runs": [{"strategy": "nor this"}]}
}
JSON
    ;;
  --version) echo "damocles of stubs" ;;
esac
STUB2
)
STUB
}
good_tests() {
  stub damocles_cuda_tests <<'STUB'
for option; do
  [[ $option == --gtest_list_tests ]] && printf 'Suite.\n  DoesThis\n  DoesThat\nOther/Suite.\n  Does/0\n' && exit
  [[ $option == --gtest_output=json:* ]] && echo '{"result": "COMPLETED"}' >"${option#*:}"
done
exit 0
STUB
}
good_bench() {
  stub damocles_out_of_core <<'STUB'
echo "table of the bench"
echo '{"cases": []}' >"${!#}"
STUB
}
stub compute-sanitizer <<'STUB'
echo "Error: Device not supported"
exit 1
STUB
export PATH=$work/build/deep:$PATH COMPARED=$work/compared

# No program there: a wrong request.
expect "$(suite)" 2 "without programs"

# No GPU: one line, and skipped.
good_tests
good_bench
stub damocles <<'STUB'
echo "damocles: no CUDA device was found (why); use --backend host" >&2
exit 1
STUB
expect "$(suite)" 77 "without a GPU"
expect "$(wc -l <"$work/said")" 1 "lines said without a GPU"
[[ $(<"$work/said") == *"no CUDA device was found (why)"* ]] || fail "not said: no GPU"

# No driver on a machine that has no GPU either: the same. (Where there is one, it is an error.)
if [[ ! -e /dev/nvidia0 ]]; then
  stub damocles <<'STUB'
echo "damocles: no CUDA driver was found, or one that is older than CUDA 13.0 needs (why)" >&2
exit 1
STUB
  expect "$(suite)" 77 "without a driver"
fi

# Built without CUDA: nothing was tested, and that is an error.
stub damocles <<'STUB'
echo "damocles: this build has no CUDA backend" >&2
exit 2
STUB
expect "$(suite)" 2 "without the cuda device"

compared_with() { [[ $(<"$COMPARED") == *" --sms $1 "* ]] || fail "nothing was compared on $1"; }

# All well, but for compute-sanitizer, which does not know the device.
good_damocles
expect "$(suite)" 0 "all well"
summary_has "NVIDIA Stub (cuda), driver 1; measured 2026-11-21"
summary_has "damocles of stubs"
summary_has "| GPU tests Suite | ok |"
summary_has "| GPU tests Other/Suite | ok |"
summary_has "GPU tests: 4 ran, 0 were skipped."
summary_has "| compute-sanitizer memcheck product | skipped |"
summary_has "| eager | 1.25 | 1.26 | 0.01 | -0.03 | within |"
summary_has "table of the bench"
for shares in 64,64 8,16,32,64 8,8,8,8,16,16,24,40; do compared_with "$shares"; done
[[ $(<"$work/out/summary.md") != *"none of the table"* ]] || fail "a record became a row"
for json in gpu_tests comparisons out_of_core; do
  python3 -m json.tool "$work/out/$json.json" >/dev/null || fail "$json.json is no JSON"
done
[[ $(<"$work/out/comparisons.json") == *'"matrix_p8": {'* ]] || fail "a comparison is missing"
[[ $(<"$work/compared") == *"outer:n=16 speeds:1.5,2e+03 "* ]] || fail "speeds were not passed on"
[[ $(<"$work/compared") == *"gemm2d_p1.toml "* ]] || fail "the platform file was not passed on"

# A window has half of the steps; each takes what changes cuBLAS's precision out of the environment.
stub damocles_out_of_core <<'STUB'
echo "TF32 ${NVIDIA_TF32_OVERRIDE-unset}, emulation ${CUBLAS_EMULATE_DOUBLE_PRECISION-unset}: $*"
echo '{"cases": []}' >"${!#}"
STUB
export NVIDIA_TF32_OVERRIDE=1 CUBLAS_EMULATE_DOUBLE_PRECISION=1
expect "$(suite 1)" 0 "the first window"
summary_has "| compare gemm2d_p1 | ok |"
summary_has "TF32 unset, emulation unset: --size 1024:8192:800MB --repetitions 2 --precision double --xt-blocks 1024 2048 3072 -o "
[[ $(<"$work/out/summary.md") != *"_p16"* ]] || fail "the first window has a step of the second"
expect "$(suite 2)" 0 "the second window"
summary_has "| compare matrix_p8 | ok |"
[[ $(<"$work/out/summary.md") != *"GPU tests"* ]] || fail "the second window has a step of the first"
expect "$(SUITE_BENCH="--no-xt --precision double" suite 2)" 0 "options for the benchmark"
summary_has "emulation unset: --no-xt --precision double -o "
expect "$(suite 3)" 2 "a window that there is not"
unset NVIDIA_TF32_OVERRIDE CUBLAS_EMULATE_DOUBLE_PRECISION
good_bench

# The folder of cuBLAS comes first.
mkdir -p "$work/build/lib"
: >"$work/build/lib/libcublas.so.13"
expect "$(LD_LIBRARY_PATH=/elsewhere suite 1)" 0 "with cuBLAS beside the programs"
[[ $(<"$work/out/suite.log") == *"LD_LIBRARY_PATH=$work/build/lib:/elsewhere"* ]] || fail "cuBLAS is not first"
rm "$work/build/lib/libcublas.so.13"

# Shares of a GPU of another size: of H100 PCIe, and of one with few.
good_damocles "" 114
expect "$(suite)" 0 "another GPU"
for shares in 56,56 6,12,24,48 6,6,6,6,12,12,18,30; do compared_with "$shares"; done
good_damocles "" 40
expect "$(suite)" 0 "a small GPU"
for shares in 16,16 2,4,8,16; do compared_with "$shares"; done

# Processors that share the GPU, where parts of it were asked for, are no processors.
good_damocles "stream of its own; green contexts are not to be had: why"
expect "$(suite 2)" 1 "plain streams"
summary_has "| parts of outer_p4 | failed |"
good_damocles

# What fails is told, and the other steps run.
stub damocles_cuda_tests <<'STUB'
[[ $1 == --gtest_list_tests ]] && printf 'Suite.\n  DoesThis\nOther.\n  DoesThat\n' && exit
[[ $1 == *Other.* ]] && exit
echo "a test failed | badly"
exit 3
STUB
expect "$(suite)" 1 "failing tests"
summary_has "| GPU tests Suite | failed |"
summary_has "| GPU tests Other | ok |"
summary_has "exit status 3; a test failed / badly"
summary_has "| compare matrix_p8 | ok |"
python3 -m json.tool "$work/out/gpu_tests.json" >/dev/null || fail "gpu_tests.json is no JSON"

# What has no time is skipped.
good_tests
expect "$(SUITE_SECONDS=4 suite)" 0 "no time for a step"
summary_has "| compare outer_p4 | skipped |"

# What hangs is ended. (Steps of a slow machine may fail here too; all have time to begin.)
stub damocles_out_of_core <<'STUB'
echo "begun"
exec sleep 60
STUB
export SUITE_STEP_SECONDS=2
expect "$(suite 2)" 1 "a benchmark that hangs"
summary_has "| out-of-core benchmark, large | failed |"
summary_has "still running after 2 s"
python3 -m json.tool "$work/out/out_of_core.json" >/dev/null || fail "out_of_core.json is no JSON"
# What cannot be ended, as one who waits in the driver, is left behind.
stub timeout <<'STUB'
[[ $* == *damocles_out_of_core* ]] && exec sleep 30
while [[ $1 == -k || $1 == [0-9]* ]]; do [[ $1 == -k ]] && shift; shift; done
exec "$@"
STUB
expect "$(SUITE_GRACE_SECONDS=1 suite 2)" 1 "a benchmark that cannot be ended"
summary_has "could not be ended after"
echo "as it should be"
