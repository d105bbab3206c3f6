#!/usr/bin/env bash
# Everything that wants a GPU, in two windows, meant for 6 and 8 minutes:
#
#   tests/gpu/suite.sh BUILD_DIR OUT_DIR [WINDOW]
#
# Window 1 is the tests, the small benchmark in fp32 and fp64, two comparisons, tasks that write, cores
# beside GPUs and memcheck; window 2 the large benchmark, the comparisons of 2 to 16 processors and
# racecheck; all is both.
#
# BUILD_DIR holds damocles, damocles_cuda_tests and damocles_out_of_core, at any depth: what preset
# cuda or cuda-portable built, or a folder into which they were carried. Needs bash and coreutils.
#
# OUT_DIR gets summary.md (steps, tables), suite.log (all they said), gpu_tests.json,
# comparisons.json, out_of_core.json, platforms.txt (what was calibrated) and clocks.csv (clocks,
# power and PCIe link, twice a second). The summary is written after each step. Steps do not wait for
# one another's success; each ends at its time limit, and one that cannot be ended is left behind.
#
# Exit status: 0 all steps passed or were skipped, 1 some failed, 2 a wrong request, 77 no GPU.
#
# Environment: SUITE_SECONDS, the time for all of it (540). SUITE_STEP_SECONDS: at most so long for one
# step, where its own limit is longer. SUITE_SMS_2, _4, _8: multiprocessors
# of 2, 4 and 8 processors, in the place of what the GPU's own number gives.
# SUITE_TILE (1024), SUITE_BLOCKS (16): sides of the comparisons, to try the suite on small ones.
# SUITE_STRATEGIES: of the comparisons on one processor, in the place of the ten named below; "all" takes minutes.
# SUITE_SKIP: tests to leave out, as "*Speed*:Engine.*".
# SUITE_GRACE_SECONDS: for what is killed to go (10), before it is left behind.
# SUITE_BENCH: options for damocles_out_of_core, as "--no-xt --precision double", in the place of each of its own.
#
# What would make cuBLAS compute in another precision than is asked for is taken out of the
# environment, and the folder of libcublas put before what LD_LIBRARY_PATH has. Virtual machines
# with a GPU may announce little memory and have more: DAMOCLES_HOST_MEMORY is unlimited unless set.
set -uo pipefail
shopt -s globstar nullglob

readonly seconds_for_all=${SUITE_SECONDS:-540}
readonly longest_step_s=${SUITE_STEP_SECONDS:-$seconds_for_all}
# Of comparisons: side of a tile, and tiles along a side. 10 and 60 data items of 1024 x 4096 and 1024 x
# 1024 are 170 and 250 MB.
readonly tile=${SUITE_TILE:-1024} blocks=${SUITE_BLOCKS:-16}
readonly tiles=tile=$tile,k=$((4 * tile))
readonly core=cpu_gflops=40 # what strategies are told of one
readonly blocks_3d=$((blocks * 7 / 8)) blocks_matrix=$((blocks * 3 / 8))
# A verified run takes 1 to 3 s, so the strategies that matter most come first.
compared_strategies=${SUITE_STRATEGIES:-panel-streaming,darts,hfp,dmdar,dmdas,eager,random,hypergraph,heft,lws}
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
  write_summary
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

# Runs a command and says how it ended, 124 or 137 where it was still running after so many seconds:
# run_for SECONDS COMMAND... What hangs in the driver cannot be killed; it is waited for no longer
# than grace_s more. What it says goes to $work/said.
# Each end comes through a pipe with the number of its command, as one left behind may end later.
readonly left_behind=255 grace_s=${SUITE_GRACE_SECONDS:-10}
commands_run=0
run_for() {
  local limit=$1 number status
  shift
  ((++commands_run))
  {
    timeout -k 5 "$limit" "$@" >"$work/said" 2>&1 </dev/null
    printf '%s %s\n' "$commands_run" $? >&"$ends"
  } &
  local deadline=$((SECONDS + limit + grace_s))
  while ((SECONDS < deadline)); do
    read -r -t $((deadline - SECONDS)) -u "$ends" number status || continue
    ((number == commands_run)) && return "$status"
  done
  return "$left_behind"
}

# Runs a command for at most so many seconds: step NAME SECONDS COMMAND...
# What it says goes to $work/said, and to the log.
step() {
  local name=$1 limit=$2
  shift 2
  local left=$((seconds_for_all - SECONDS))
  if ((left < 5)); then
    : >"$work/said"
    note "$name" skipped 0 "no time left of $seconds_for_all s"
    return 1
  fi
  ((limit = limit < left ? limit : left))
  ((limit = limit < longest_step_s ? limit : longest_step_s))
  printf '\n== %s\n$ %s\n' "$name" "$*" >>"$log"
  local start status took
  start=$(now)
  run_for "$limit" "$@"
  status=$?
  took=$((($(now) - start) / 100000))
  took=$((took / 10)).$((took % 10))
  cat "$work/said" >>"$log"
  printf '(exit status %s after %s s)\n' "$status" "$took" >>"$log"
  case $status in
    0) note "$name" ok "$took" "" ;;
    124 | 137) note "$name" failed "$took" "still running after $limit s" ;;
    "$left_behind") note "$name" failed "$took" "could not be ended after $limit s, and is left behind" ;;
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

# A process for each suite of tests, so that one that takes the GPU down with it takes no other.
run_tests() {
  local joined fault line files=()
  joined=$(IFS=: && printf '%s' "${faults[*]}")
  step "list of GPU tests" 30 "$tests" --gtest_list_tests || return
  local -a suites=()
  while read -r line _; do [[ $line == *. ]] && suites+=("${line%.}"); done <"$work/said"
  for line in "${suites[@]}"; do
    step "GPU tests $line" 60 "$tests" "--gtest_filter=$line.*-$joined${SUITE_SKIP:+:$SUITE_SKIP}" \
      "--gtest_output=json:${line//\//_}.json"
    files+=("$line" "${line//\//_}.json")
  done
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
# compare NAME WORKLOAD MEMORY STRATEGIES REPLICATES SECONDS PROCESSORS OPTION..., where MEMORY is that of each processor,
# or unlimited; options are of both commands, --processors apart.
comparisons=()
compare() {
  local name=$1 workload=$2 memory=$3 named=$4 replicates=$5 limit=$6 processors=$7
  shift 7
  local platform=$name.toml line
  local -a calibration=(--processors "$processors" --backend cuda --time 50ms --repeats 0 "$@") ahead=()
  # The inputs of the next task travel while one runs.
  [[ $memory == unlimited ]] && ahead=(--depth 2)
  [[ $memory == unlimited ]] || calibration+=(--memory "$memory")
  if ! step "calibrate $name" 40 "$damocles" calibrate "$workload" "${calibration[@]}" \
    -o "$platform"; then
    note "compare $name" skipped 0 "not calibrated"
    return
  fi
  { printf '== %s\n' "$platform" && cat "$platform"; } >>"$out/platforms.txt"
  if contains "$platform" "green contexts are not to be had"; then
    note "parts of $name" failed 0 "plain streams in the place of green contexts: all share the GPU"
  fi
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
  step "compare $name" "$limit" "$damocles" compare "$workload" "$platform" --strategies "$named" \
    --replicates "$replicates" --backend cuda "$@" "${ahead[@]}" --format json -o "$name.json"
  [[ -s $name.json ]] || return
  comparisons+=("$name" "$name.json")
  agreement_table "$name: $workload on $platform" "$name.json" >"$name.md"
  tables+=("$name.md")
  bundle "$out/comparisons.json" "${comparisons[@]}"
}

# A portable build has no partitioner of hypergraphs.
leave_out_what_this_build_lacks() {
  "$damocles" simulate gemm2d:n=4 gpus:k=1,memory=6data --strategies hypergraph >/dev/null 2>&1 ||
    compared_strategies=${compared_strategies/hypergraph,/}
}

# Sizes: on a H200 (52 Tflop/s in fp32, 50 GB/s to it) a task takes 0.05 to 0.7 ms, and a run 0.1 to
# 1 s; verifying it takes about as long.
run_comparisons_on_one() {
  compare gemm2d_p1 "gemm2d:n=$blocks,$tiles,precision=tf32" 10data "$compared_strategies" 1 90 1
  compare gemm3d_p1 "gemm3d:n=$blocks_3d,tile=$tile" 60data "$compared_strategies" 1 60 1
}

# The model that these runs are held to has no bus. So a panel must not take longer on the bus than a
# task on all multiprocessors: e F / (2 B t) is 0.94 at t = 2048 in fp32.
run_comparisons_on_parts() {
  local outer="outer:n=$blocks" matrix="matrix:n=$blocks_matrix"
  local tasks=(--tile $((2 * tile)) --inner $((4 * tile))) cubes=(--tile $((4 * tile)))
  local sms_2=${SUITE_SMS_2:-$(shares 1 1)} sms_4=${SUITE_SMS_4:-$(shares 1 2 4 8)}
  local sms_8=${SUITE_SMS_8:-$(shares 1 1 1 1 2 2 3 5)}
  compare gemm2d_p2 "gemm2d:n=$blocks,$tiles" 10data "$compared_strategies" 1 60 2 --sms "$sms_2"
  compare outer_p4 "$outer" unlimited all 3 60 4 --sms "$sms_4" "${tasks[@]}"
  compare outer_p8 "$outer" unlimited all 3 60 8 --sms "$sms_8" "${tasks[@]}"
  compare outer_p16 "$outer" unlimited all 3 60 16 "${tasks[@]}"
  compare matrix_p4 "$matrix" unlimited all 3 60 4 --sms "$sms_4" "${cubes[@]}"
  compare matrix_p8 "$matrix" unlimited all 3 60 8 --sms "$sms_8" "${cubes[@]}"
}

# Tasks that write what others read, in 40 tiles of memory each, also where processors copy from one
# another, where cores compute beside them, and where tasks update a tile in any order or into sums: a
# version that is lost or old ends the run as wrong.
run_tasks_that_write() {
  local how tasks machine strategies name
  for how in "" peers=100GB/s cpus=4 updates=commute updates=reduce; do
    tasks="cholesky:n=$((blocks * 3 / 4)),tile=$tile,deps=true"
    machine=gpus:k=4,memory=40data
    strategies=eager,dmdas,lws,darts,heft
    case $how in
      peers=*) machine+=,$how ;;
      cpus=*) machine+=,$how,$core strategies=eager,dmdas,lws,heteroprio,heft ;;
      updates=*) tasks+=,$how ;;
    esac
    name=writes_${how//[^a-z]/}
    step "tasks that write, 4 processors${how:+, $how}" 60 "$damocles" run "$tasks" "$machine" \
      --strategies "$strategies" --replicates 1 --backend cuda
    { printf '\n### Tasks that write%s\n\n```\n' "${how:+, $how}" && cat "$work/said" && printf '```\n'; } \
      >"$name.md"
    tables+=("$name.md")
  done
}

# Products, of each tile at once and in sums, on GPUs and cores.
run_products_beside_cores() {
  local tasks name
  for tasks in "gemm2d:n=$blocks,$tiles" "gemm3d:n=$((blocks / 4)),tile=$tile,c=yes"; do
    name=cores_${tasks%%:*}
    step "cores beside GPUs, ${tasks%%:*}" 60 "$damocles" run "$tasks" \
      "gpus:k=2,memory=40data,cpus=4,$core" --strategies eager,dmdas,lws,heteroprio --replicates 1 \
      --backend cuda
    { printf '\n### Cores beside GPUs: %s\n\n```\n' "$tasks" && cat "$work/said" && printf '```\n'; } \
      >"$name.md"
    tables+=("$name.md")
  done
}

# A platform fitted to runs, and how well those held out are simulated on it.
calibrate_by_runs() {
  step "calibrate by runs" 90 "$damocles" calibrate "gemm2d:n=$blocks,$tiles" --memory 10data \
    --backend cuda --repeats 3 -o fitted.toml
  [[ -s fitted.toml ]] || return
  { printf '\n### Fitted to runs\n\n```\n' && cat fitted.toml && printf '```\n'; } >fitted.md
  tables+=(fitted.md)
}

# The benchmark with these options, or those of SUITE_BENCH: run_bench NAME SECONDS OPTION...
benches=()
run_bench() {
  local name=$1 limit=$2
  shift 2
  [[ -z ${SUITE_BENCH:-} ]] || read -ra options <<<"$SUITE_BENCH"
  [[ -n ${SUITE_BENCH:-} ]] || options=("$@")
  step "out-of-core benchmark, $name" "$limit" "$bench" "${options[@]}" -o "bench_$name.json"
  benches+=("$name" "bench_$name.json")
  bundle "$out/out_of_core.json" "${benches[@]}"
  { printf '\n### Out of core, %s\n\n```\n' "$name" && cat "$work/said" && printf '```\n'; } >"bench_$name.md"
  tables+=("bench_$name.md")
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

# The checksum kernel is ours; products are cuBLAS's, driven by us: run_sanitizer KIND...
# Calls that fail are no findings: the device tries what a driver may not have.
run_sanitizer() {
  local tool kind compute check
  local excuse="Device not supported" # as under some virtual machines
  tool=$(sanitizer)
  for kind; do
    read -r check compute <<<"$kind"
    if [[ -z $tool ]]; then
      note "compute-sanitizer $kind" skipped 0 "compute-sanitizer is not installed"
      continue
    fi
    step "compute-sanitizer $kind" 60 "$tool" --tool "$check" --report-api-errors no --error-exitcode 99 "$damocles" run \
      gemm2d:n=6,tile=64,k=64 gpus:k=1,memory=8data --strategies panel-streaming,eager \
      --replicates 1 --compute "$compute" --backend cuda --format json
  done
}

write_summary() {
  local row
  {
    printf '# GPU suite\n\n%s\n\n' "$device"
    printf '| | |\n| --- | --- |\n| date | %s |\n' "$(TZ=UTC printf '%(%Y-%m-%d %H:%M UTC)T' -1)"
    printf '| program | %s |\n| nvidia-smi | %s |\n| kernel | %s |\n' "$version" "$smi" \
      "$kernel"
    printf '| seconds in all | %s |\n\n' "$SECONDS"
    printf '| step | status | seconds | |\n| --- | --- | ---: | --- |\n'
    for row in "${rows[@]}"; do printf '%s\n' "$row"; done
    ((${#tables[@]} == 0)) || cat "${tables[@]}"
  } >"$out/summary.md"
}

# Puts the folder of cuBLAS first, wherever it is: beside the programs, of a toolkit, of the system.
find_cublas() {
  local file
  for file in "$build"/**/libcublas.so.13 "${CUDA_HOME:-/usr/local/cuda}"/lib64/libcublas.so.13 \
    /usr/local/cuda*/lib64/libcublas.so.13 /usr/local/cuda*/targets/*/lib/libcublas.so.13 \
    /usr/lib/x86_64-linux-gnu/libcublas.so.13 \
    {/opt,/usr/local}/{,*/}{,.venv/}lib/python3*/{site,dist}-packages/nvidia/cu13/lib/libcublas.so.13; do
    [[ -e $file ]] || continue
    export LD_LIBRARY_PATH=${file%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    return
  done
}

# Nothing may change what cuBLAS computes in.
readonly changes_precision=(NVIDIA_TF32_OVERRIDE CUBLAS_EMULATE_SINGLE_PRECISION
  CUBLAS_EMULATE_DOUBLE_PRECISION CUBLAS_EMULATION_STRATEGY)

# What the GPU is, from the second line that calibrate writes; without a GPU the suite ends here.
# The first use of a GPU may take minutes, as kernels are loaded.
find_gpu() {
  local line
  if ! run_for 150 "$damocles" calibrate gemm2d:n=2,tile=64,k=64 --backend cuda --time 5ms \
    --repeats 0; then
    line=$(last_line "$work/said")
    if [[ $line == *"no CUDA device"* || ($line == *"no CUDA driver"* && -z $(echo /dev/nvidia[0-9]*)) ]]; then
      printf 'suite: skipped, as there is no GPU: %s\n' "$line"
      exit 77
    fi
    refuse "the GPU cannot be used: ${line:-no answer within 150 s}"
  fi
  while IFS= read -r line; do
    [[ $line == '# '*'(cuda)'* ]] && device=${line#\# }
    [[ $line =~ 'processor 0, '([0-9]+)' SMs' ]] && multiprocessors=${BASH_REMATCH[1]}
  done <"$work/said"
  smi=$(timeout -k 5 20 nvidia-smi --query-gpu=name,driver_version,memory.total \
    --format=csv,noheader 2>/dev/null | head -n 1) || smi=
  smi=${smi:-not there}
  version=$("$damocles" --version 2>/dev/null | head -n 1)
  kernel=$(uname -sr)
}

# Multiprocessors of processors in these proportions, of the GPU's: groups of 8 where that is
# possible, as each is scheduled together, else pairs. shares PROPORTION...
shares() {
  local unit=0 part sum=0 result=
  for part; do ((sum += part)); done
  ((unit = multiprocessors / sum))
  ((unit -= unit >= 8 ? unit % 8 : unit % 2))
  for part; do result+=,$((part * unit)); done
  printf '%s' "${result#,}"
}

# Clocks and the PCIe link beside all that is measured, until the end.
watch_clocks() {
  command -v nvidia-smi >/dev/null || return
  nvidia-smi --format=csv -lms 500 --query-gpu=timestamp,clocks.sm,clocks.mem,power.draw,\
temperature.gpu,utilization.gpu,pcie.link.gen.current,pcie.link.width.current \
    >"$out/clocks.csv" 2>/dev/null </dev/null &
  watcher=$!
}

# Strategies differ where the bus limits them: tensor cores come first, fp32 last.
first_window() {
  run_tests
  run_bench tf32 120 --size 2048:16384:1600MB --repetitions 2 --precision tf32 --xt-blocks 4096 6144 8192
  run_bench small_fp64 80 --size 1024:8192:800MB --repetitions 2 --precision double --xt-blocks 1024 2048 3072
  run_comparisons_on_one
  run_tasks_that_write
  run_products_beside_cores
  run_sanitizer "memcheck product" "memcheck checksum"
}

second_window() {
  run_bench bf16 100 --size 2048:16384:1000MB --repetitions 2 --precision bf16
  run_bench small 90 --size 1024:16384:800MB --repetitions 2 --xt-blocks 2048 3072 4096
  run_comparisons_on_parts
  calibrate_by_runs
  run_sanitizer "racecheck checksum"
  run_bench large 120 --size 2048:24576:2400MB --repetitions 1 --strategies panel-streaming --xt-blocks 6144 8192 --verify none
}

(($# == 2 || $# == 3)) || refuse "two or three arguments are wanted: suite.sh BUILD_DIR OUT_DIR [WINDOW]"
window=${3:-all}
[[ $window == [12] || $window == all ]] || refuse "window '$window': give 1, 2 or all"
[[ -d $1 ]] || refuse "'$1' is no folder"
mkdir -p -- "$2" || refuse "'$2' cannot be made"
build=$(cd -- "$1" && pwd)
out=$(cd -- "$2" && pwd)
damocles=$(program damocles) || exit
tests=$(program damocles_cuda_tests) || exit
bench=$(program damocles_out_of_core) || exit
work=$(mktemp -d) || exit
watcher=
trap '[[ -z $watcher ]] || kill "$watcher" 2>/dev/null; rm -rf -- "$work"' EXIT
cd -- "$work" || exit
mkfifo ends && exec {ends}<>ends || exit
log=$out/suite.log
device='unknown device'
multiprocessors=132
unset "${changes_precision[@]}"
export DAMOCLES_HOST_MEMORY=${DAMOCLES_HOST_MEMORY:-unlimited}
find_cublas
find_gpu
leave_out_what_this_build_lacks
printf '%s\n' "$device" | tee "$log"
{ printf 'LD_LIBRARY_PATH=%s\n' "${LD_LIBRARY_PATH:-}" && ldd "$damocles"
  head -n 3 /proc/meminfo; } >>"$log" 2>&1
: >"$out/platforms.txt"
bundle "$out/comparisons.json"
watch_clocks

[[ $window == 2 ]] || first_window
[[ $window == 1 ]] || second_window
write_summary
printf 'summary: %s, %s s in all\n' "$out/summary.md" "$SECONDS"
exit "$failed"
