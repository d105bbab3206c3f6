# shellcheck shell=bash disable=SC2154,SC2034
# Sourced by the wrapper `damocles`: whether the CUDA backend is wanted, and which toolkit builds it.
#
# A build that has the backend keeps it: CMake's cache remembers it. DAMOCLES_CUDA=0 takes it out.

# Whether the words ask for runs on CUDA's GPUs.
cuda_is_named() { [[ " $* " =~ \ --backend[=\ ]cuda\  ]]; }
cuda_is_wanted() { [[ ${DAMOCLES_CUDA:-} == 1 ]] || cuda_is_named "$@"; }

check_cuda_words() {
  case ${DAMOCLES_CUDA:-} in
    '' | 1) ;;
    0) ! cuda_is_named "$@" || refuse "DAMOCLES_CUDA=0 leaves out the CUDA backend, and --backend cuda wants it: unset DAMOCLES_CUDA" ;;
    *) refuse "DAMOCLES_CUDA is '$DAMOCLES_CUDA'; give 1 to build the CUDA backend, or 0 to leave it out" ;;
  esac
}

nvcc=  # of the toolkit, once it is found
find_nvcc() {
  local place version
  for place in "${CUDACXX:-nvcc}" "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc"; do
    ! nvcc=$(command -v "$place") || break
  done
  [[ -n $nvcc ]] || refuse "the CUDA backend needs the CUDA toolkit, 12.5 or later, and there is no nvcc on the PATH or in" \
    "${CUDA_PATH:-/usr/local/cuda}/bin: install it, set CUDA_PATH to its folder, or use --backend host"
  version=$("$nvcc" --version 2>/dev/null | sed -nE 's/.*release ([0-9]+\.[0-9]+).*/\1/p' | head -n 1) || true
  [[ -n $version ]] || refuse "$nvcc does not say which version of CUDA it is of: set CUDA_PATH to the folder of CUDA 12.5 or later"
  ((10#${version%.*} * 1000 + 10#${version#*.} >= 12005)) ||
    refuse "the CUDA backend needs CUDA 12.5 or later, and $nvcc is of $version: set CUDA_PATH to the folder of a later one"
}

# Whether a driver of NVIDIA's is there. A machine that only compiles, as a login node, has none.
has_cuda_driver() { ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; }

# Sets `cuda_options` to what CMake is told of it: nothing where the build is as it should be.
cuda_options=()
cuda_wanted=  # whether this call wants the backend
find_cuda_options() {
  local configured=
  cuda_options=()
  [[ ! -e $build/CMakeCache.txt || $(cached DAMOCLES_CUDA) != ON ]] || configured=yes
  if [[ -n $cuda_wanted && -z $configured ]]; then
    [[ ${DAMOCLES_CUDA:-} == 1 ]] || has_cuda_driver || refuse "no CUDA driver was found (libcuda.so.1), so no GPU can be used:" \
      "see nvidia-smi, or use --backend host; DAMOCLES_CUDA=1 builds the backend all the same"
    [[ -n $nvcc ]] || find_nvcc
    cuda_options=(-D DAMOCLES_CUDA=ON -D "CMAKE_CUDA_COMPILER=$nvcc")
  elif [[ ${DAMOCLES_CUDA:-} == 0 && -n $configured ]]; then
    cuda_options=(-D DAMOCLES_CUDA=OFF)
  fi
}

# What may help where a build with it fails.
without_cuda() {
  [[ ! -e $build/CMakeCache.txt || $(cached DAMOCLES_CUDA) != ON ]] ||
    say "to build without the CUDA backend: DAMOCLES_CUDA=0 $0 ..."
}
