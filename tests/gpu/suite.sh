#!/usr/bin/env bash
# Everything that wants a GPU, in under 8 minutes on one:
#
#   tests/gpu/suite.sh BUILD_DIR OUT_DIR
#
# BUILD_DIR holds damocles, damocles_cuda_tests and damocles_out_of_core, at any depth: what preset
# cuda or cuda-portable built, or a folder into which they were carried. Needs bash and coreutils.
#
# OUT_DIR gets summary.md (steps, tables), suite.log (all they said), gpu_tests.json,
# comparisons.json, out_of_core.json and platforms.txt (what was calibrated). Steps do not wait for
# one another's success, but each ends at its time limit.
#
# Exit status: 0 all steps passed or were skipped, 1 some failed, 2 a wrong request, 77 no GPU.
#
# Environment: SUITE_SECONDS, the time for all of it (470). SUITE_SMS_4, _8: multiprocessors of 4
# and 8 processors; the defaults are for the 132 of a H100 or H200, given in groups of 8.
# SUITE_BENCH: options for damocles_out_of_core, as "--no-xt --fp64".
set -uo pipefail
shopt -s globstar nullglob

readonly seconds_for_all=${SUITE_SECONDS:-470}
# 132 make 16 groups of 8, so 16 processors can only be equal; fewer may differ.
readonly sms_4=${SUITE_SMS_4:-8,16,32,64}
readonly sms_8=${SUITE_SMS_8:-8,8,8,8,16,16,24,40}
# Both kill their process's CUDA, or may: each runs alone.
readonly faults=(CudaDevice.TellsOfAKernelThatFailed
  CudaDevice.FailsToCopyIntoMemoryThatWasGivenBack)

refuse() {
  printf 'suite: %s\n' "$1" >&2
  exit 2
}

# The program of this name below $build.
program() {
  local file
  for file in "$build"/**/"$1"; do
    [[ -f $file && -x $file ]] && printf '%s\n' "$file" && return
  done
  refuse "no program '$1' below '$build'; build it with --preset cuda or cuda-portable"
}

# Microseconds since some time.
now() { printf '%s' "${EPOCHREALTIME/[.,]/}"; }

rows=()   # of the summary's table of steps
tables=() # files with what else it shows
failed=0
excuse='' # a step that fails and says this was skipped

# Notes how a step ended: note NAME STATUS SECONDS TEXT
note() {
  [[ $2 == failed ]] && failed=1
  rows+=("| $1 | $2 | $3 | ${4//|//} |")
  printf '%-8s %6s s  %s%s\n' "$2" "$3" "$1" "${4:+: $4}"
}

# The last line of a file that is not empty.
last_line() {
  local line last=
  while IFS= read -r line || [[ -n $line ]]; do [[ -n $line ]] && last=$line; done <"$1"
  printf '%s' "$last"
}

contains() {
  local text
  text=$(<"$1")
  [[ $text == *"$2"* ]]
}

# Runs a command for at most so many seconds: step NAME SECONDS COMMAND...
# What it says goes to $work/said, and to the log.
step() {
  local name=$1 limit=$2
  shift 2
  local left=$((seconds_for_all - SECONDS))
  if ((left < 5)); then
    note "$name" skipped 0 "no time left of $seconds_for_all s"
    return 1
  fi
  ((limit = limit < left ? limit : left))
  printf '\n== %s\n$ %s\n' "$name" "$*" >>"$log"
  local start status took
  start=$(now)
  timeout -k 5 "$limit" "$@" >"$work/said" 2>&1 </dev/null
  status=$?
  took=$((($(now) - start) / 100000))
  took=$((took / 10)).$((took % 10))
  cat "$work/said" >>"$log"
  printf '(exit status %s after %s s)\n' "$status" "$took" >>"$log"
  case $status in
    0) note "$name" ok "$took" "" ;;
    124 | 137) note "$name" failed "$took" "still running after $limit s" ;;
    *)
      if [[ -n $excuse ]] && contains "$work/said" "$excuse"; then
        note "$name" skipped "$took" "$excuse"
      else
        note "$name" failed "$took" "exit status $status; $(last_line "$work/said")"
      fi
      ;;
  esac
  ((status == 0))
}

# One JSON object of several files: bundle OUT NAME FILE NAME FILE ...; files that are not there are
# left out.
bundle() {
  local out=$1 comma=
  shift
  {
    printf '{'
    while (($# > 0)); do
      if [[ -s $2 ]]; then
        printf '%s\n"%s": %s' "$comma" "$1" "$(<"$2")"
        comma=,
      fi
      shift 2
    done
    printf '\n}\n'
  } >"$out"
}

# How many of the tests ran; those that were skipped would not show in the step's status.
count_tests() {
  local line completed=0 skipped=0
  while IFS= read -r line; do
    [[ $line == *'"result": "COMPLETED"'* ]] && ((++completed))
    [[ $line == *'"result": "SKIPPED"'* ]] && ((++skipped))
  done <"$out/gpu_tests.json"
  printf '\nGPU tests: %d ran, %d were skipped.\n' "$completed" "$skipped" >tests.md
  tables+=(tests.md)
}

run_tests() {
  local joined fault files=(all_but_faults tests.json)
  joined=$(IFS=: && printf '%s' "${faults[*]}")
  step "GPU tests" 120 "$tests" "--gtest_filter=-$joined" --gtest_output=json:tests.json
  for fault in "${faults[@]}"; do
    step "GPU test $fault" 30 "$tests" "--gtest_filter=$fault" "--gtest_output=json:$fault.json"
    files+=("$fault" "$fault.json")
  done
  bundle "$out/gpu_tests.json" "${files[@]}"
  count_tests
}

# Of a comparison's JSON, which has one value a line, a row for each strategy.
agreement_table() {
  local line inside='' strategy='' simulated='' executed='' difference='' makespan=''
  printf '\n### %s\n\n' "$1"
  printf '| strategy | simulated | executed | difference | makespan error | verdict |\n'
  printf '| --- | ---: | ---: | ---: | ---: | --- |\n'
  while IFS= read -r line; do
    [[ $line == *'"agreement": '* ]] && inside=yes
    [[ -n $inside ]] || continue
    [[ $line =~ ^\ *\"([a-z_]+)\":\ \"?([^\",]*) ]] || continue
    case ${BASH_REMATCH[1]} in
      strategy) strategy=${BASH_REMATCH[2]} ;;
      simulated) simulated=${BASH_REMATCH[2]} ;;
      executed) executed=${BASH_REMATCH[2]} ;;
      difference) difference=${BASH_REMATCH[2]} ;;
      makespan_error) makespan=${BASH_REMATCH[2]} ;;
      verdict)
        printf '| %s | %.8s | %.8s | %.8s | %.8s | %s |\n' "$strategy" "$simulated" "$executed" \
          "$difference" "$makespan" "${BASH_REMATCH[2]}"
        ;;
      execution) return ;;
    esac
  done <"$2"
}

# Calibrates, then compares all strategies on what was measured:
# compare NAME WORKLOAD MEMORY REPLICATES SECONDS OPTION..., where MEMORY is that of each processor,
# or unlimited; options are of both commands, --processors apart.
comparisons=()
compare() {
  local name=$1 workload=$2 memory=$3 replicates=$4 limit=$5 processors=$6
  shift 6
  local platform=$name.toml line
  local -a calibration=(--processors "$processors" --backend cuda --time 50ms "$@")
  [[ $memory == unlimited ]] || calibration+=(--memory "$memory")
  if ! step "calibrate $name" 40 "$damocles" calibrate "$workload" "${calibration[@]}" \
    -o "$platform"; then
    note "compare $name" skipped 0 "not calibrated"
    return
  fi
  { printf '== %s\n' "$platform" && cat "$platform"; } >>"$out/platforms.txt"
  if [[ $memory == unlimited ]]; then
    platform=
    while IFS= read -r line; do
      [[ $line =~ (speeds:[0-9.,e+-]+) ]] && platform=${BASH_REMATCH[1]}
    done <"$name.toml"
    if [[ -z $platform ]]; then
      note "compare $name" failed 0 "no speeds in what calibrate wrote"
      return
    fi
  fi
  step "compare $name" "$limit" "$damocles" compare "$workload" "$platform" --strategies all \
    --replicates "$replicates" --backend cuda "$@" --format json -o "$name.json"
  [[ -s $name.json ]] || return
  comparisons+=("$name" "$name.json")
  agreement_table "$name: $workload on $platform" "$name.json" >"$name.md"
  tables+=("$name.md")
}

# Sizes: on a H200 (52 Tflop/s in fp32, 50 GB/s to it) a task takes 0.05 to 0.7 ms, and a run 0.1 to
# 1 s; verifying it takes about as long.
run_comparisons() {
  : >"$out/platforms.txt"
  local tasks=(--tile 512 --rank 4096)
  compare gemm2d_p1 gemm2d:n=32,tile=1024,k=4096 500MB 1 60 1
  compare gemm3d_p1 gemm3d:n=14,tile=1024 500MB 1 60 1
  compare gemm2d_p2 gemm2d:n=32,tile=1024,k=4096 500MB 1 60 2 --sms 64,64
  compare outer_p4 outer:n=40 unlimited 2 40 4 --sms "$sms_4" "${tasks[@]}"
  compare outer_p8 outer:n=40 unlimited 2 40 8 --sms "$sms_8" "${tasks[@]}"
  compare outer_p16 outer:n=40 unlimited 2 40 16 "${tasks[@]}"
  compare matrix_p4 matrix:n=12 unlimited 2 40 4 --sms "$sms_4" --tile 1024
  compare matrix_p8 matrix:n=12 unlimited 2 40 8 --sms "$sms_8" --tile 1024
  compare matrix_p16 matrix:n=12 unlimited 2 40 16 --tile 1024
  bundle "$out/comparisons.json" "${comparisons[@]}"
}

run_bench() {
  local -a options
  read -ra options <<<"${SUITE_BENCH:-}"
  step "out-of-core benchmark" 210 "$bench" "${options[@]}" -o "$out/out_of_core.json"
  { printf '\n### Out of core\n\n```\n' && cat "$work/said" && printf '```\n'; } >bench.md
  tables+=(bench.md)
}

# compute-sanitizer, on the PATH or where the toolkit puts it.
sanitizer() {
  local file
  command -v compute-sanitizer && return
  for file in "${CUDA_HOME:-/usr/local/cuda}" /usr/local/cuda*; do
    file=$file/bin/compute-sanitizer
    [[ -x $file ]] && printf '%s\n' "$file" && return
  done
}

# The checksum kernel is ours; products are cuBLAS's, driven by us.
run_sanitizer() {
  local tool kind compute check
  local excuse="Device not supported" # as under some virtual machines
  tool=$(sanitizer)
  for kind in "memcheck product" "memcheck checksum" "racecheck checksum"; do
    read -r check compute <<<"$kind"
    if [[ -z $tool ]]; then
      note "compute-sanitizer $kind" skipped 0 "compute-sanitizer is not installed"
      continue
    fi
    step "compute-sanitizer $kind" 60 "$tool" --tool "$check" --error-exitcode 99 "$damocles" run \
      gemm2d:n=6,tile=64,k=64 gpus:k=1,memory=8data --strategies panel-streaming,eager \
      --replicates 1 --compute "$compute" --backend cuda --format json
  done
}

write_summary() {
  local row table
  {
    printf '# GPU suite\n\n%s\n\n' "$device"
    printf '| | |\n| --- | --- |\n| date | %s |\n' "$(date -u '+%Y-%m-%d %H:%M UTC')"
    printf '| program | %s |\n| nvidia-smi | %s |\n| kernel | %s |\n' "$version" "$smi" \
      "$(uname -sr)"
    printf '| seconds in all | %s |\n\n' "$SECONDS"
    printf '| step | status | seconds | |\n| --- | --- | ---: | --- |\n'
    for row in "${rows[@]}"; do printf '%s\n' "$row"; done
    for table in "${tables[@]}"; do cat "$table"; done
  } >"$out/summary.md"
}

# What the GPU is, from the second line that calibrate writes; without a GPU the suite ends here.
find_gpu() {
  local line
  if ! timeout -k 5 60 "$damocles" calibrate gemm2d:n=2,tile=64,k=64 --backend cuda --time 5ms \
    >"$work/said" 2>&1; then
    line=$(last_line "$work/said")
    if [[ $line == *"no CUDA device"* ]]; then
      printf 'suite: skipped, as there is no GPU: %s\n' "$line"
      exit 77
    fi
    refuse "the GPU cannot be used: ${line:-no answer within 60 s}"
  fi
  while IFS= read -r line; do
    [[ $line == '# '*'(cuda)'* ]] && device=${line#\# }
  done <"$work/said"
  smi=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null |
    head -n 1) || smi=
  smi=${smi:-not there}
  version=$("$damocles" --version 2>/dev/null | head -n 1)
}

(($# == 2)) || refuse "two arguments are wanted: suite.sh BUILD_DIR OUT_DIR"
[[ -d $1 ]] || refuse "'$1' is no folder"
mkdir -p -- "$2" || refuse "'$2' cannot be made"
build=$(cd -- "$1" && pwd)
out=$(cd -- "$2" && pwd)
damocles=$(program damocles) || exit
tests=$(program damocles_cuda_tests) || exit
bench=$(program damocles_out_of_core) || exit
work=$(mktemp -d) || exit
trap 'rm -rf -- "$work"' EXIT
cd -- "$work" || exit
log=$out/suite.log
device='unknown device'
find_gpu
printf '%s\n' "$device" | tee "$log"

run_tests
run_bench
run_comparisons
run_sanitizer
write_summary
printf 'summary: %s, %s s in all\n' "$out/summary.md" "$SECONDS"
exit "$failed"
