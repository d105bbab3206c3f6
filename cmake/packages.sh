# shellcheck shell=bash disable=SC2154
# Sourced by the wrapper `damocles`: which Debian packages a command wants, and how they are installed.

# Whether the strategy hypergraph is named, in the words or in the files of a sweep. `all` does without it
# where no library that partitions is installed, and says so.
hypergraph_is_named() {
  local word
  [[ ! " $* " =~ " --strateg"(y|ies)[=\ ]([^\ ]*,)?(hypergraph|[hH]METIS) ]] || return 0
  [[ ${1:-} == sweep ]] || return 1
  for word in "${@:2}"; do
    [[ $word != *.toml || ! -f $word ]] || ! grep -qE 'hypergraph|hMETIS' -- "$word" || return 0
  done
  return 1
}

# Whether the words ask for runs on StarPU.
starpu_will_run() { [[ " $* " =~ \ --backend[=\ ]starpu\  ]]; }

# $build/.packages: those of all_packages, for_docs and for_python that are installed, one a line; `note`s are lines with a
# space. Looked up again where dpkg or apt did something since.
look_at_packages() {
  local list=$build/.packages
  packages_changed "$list" || return 0
  dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${all_packages[@]}" "${for_docs[@]}" "${for_python[@]}" 2>/dev/null |
    sed -n 's/ installed$//p' | LC_ALL=C sort -u >"$list" || true
}
installed() { grep -v ' ' "$build/.packages" 2>/dev/null || true; }
noted() {  # without a process: one is asked about each package
  local lines=
  [[ ! -r $build/.packages ]] || IFS= read -r -d '' lines <"$build/.packages" || true
  [[ $'\n'$lines == *$'\n'"$*"$'\n'* ]]
}
note() { printf '%s\n' "$*" 2>/dev/null >>"$build/.packages" || true; }

as_root=()
declined=  # whether the user does not want it installed
can_install() {
  [[ -z ${DAMOCLES_NO_INSTALL:-} || $DAMOCLES_NO_INSTALL == 0 ]] || return 1
  ((EUID != 0)) || return 0
  [[ -z $declined && -t 0 && -t 2 ]] && have sudo || return 1
  as_root=(sudo)
}

update_lists() {
  foreground "updating the package lists" "${as_root[@]}" apt-get update -o DPkg::Lock::Timeout=600
}

apt_install() {
  foreground "installing packages" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "$@" -o DPkg::Lock::Timeout=600
}

# What apt would do: "73 Debian packages (61.2 MB to download, 315 MB on the disk): g++ cmake ...".
plan() {
  local numbers
  numbers=$(LC_ALL=C apt-get install --assume-no --no-install-recommends -o Debug::NoLocking=1 "$@" 2>/dev/null |
    sed -nE -e 's/^.* ([0-9]+) newly installed.*/\1 Debian packages/p' \
      -e 's|^Need to get (.*/)?([0-9.,]+ .?B) of archives.*| (\2 to download|p' \
      -e 's/^After this operation, ([0-9.,]+ .?B) of additional .*/, \1 on the disk)/p' | tr -d '\n') || true
  [[ $numbers == *packages*download*disk* ]] || numbers="Debian packages"
  echo "$numbers: $* and what they need"
}

# Where it takes sudo, asks whether to install.
agreed() {
  ((${#as_root[@]})) || { say "installing $1"; return; }
  local answer=
  printf 'damocles: install %s, with sudo? [y/n] ' "$1" >&2
  read -r answer || true
  [[ $answer == [yY]* ]] || { declined=yes; return 1; }
  # A password is asked for before the line that changes is there.
  "${as_root[@]}" true
}

# ensure PACKAGE...: installs those that are missing; `absent` are those that then still are.
absent=()
ensure() {
  local name
  look_at_packages
  absent=()
  for name; do
    noted "$name" || absent+=("$name")
  done
  ((${#absent[@]})) && can_install && ! noted unavailable "${absent[@]}" || return 0
  if noted declined "${absent[@]}"; then
    declined=yes
    return 0
  fi
  # The package lists may be absent (a fresh container) or name versions no longer served.
  compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || ((EUID)) || update_lists || true
  if agreed "$(plan "${absent[@]}")" &&
    { apt_install "${absent[@]}" || { update_lists && apt_install "${absent[@]}"; }; }; then
    absent=()
    rm -f "$build/.packages"
    look_at_packages
  else
    # As after an installation that was interrupted: "E: dpkg was interrupted, you must manually run ...".
    [[ -n $declined ]] || grep -h -m 1 '^E: ' "$log" >&2 || true
    look_at_packages
    [[ -n $declined ]] || note unavailable "${absent[@]}"
  fi
}

missing() { echo "missing Debian packages: $*; as root: apt-get install -y --no-install-recommends $*"; }

# would_have USE PACKAGE...: goes on without them where they cannot be had, and says so once.
would_have() {
  ensure "${@:2}"
  ((${#absent[@]})) && ! noted told "${absent[@]}" || return 0
  say "going on without $1; $(missing "${absent[@]}")"
  note told "${absent[@]}"
}

# Sets `wanted` to all packages that the command would have.
wanted=()
find_wanted() {
  wanted=("${needed[@]}" "${for_speed[@]}" "${for_packed[@]}" "${for_json[@]}")
  if [[ ${1:-} == test ]]; then
    wanted=("${all_packages[@]}")
    return
  fi
  [[ ${1:-} != plot || -n ${DAMOCLES_PYTHON:-} ]] || python3 -c 'import matplotlib' 2>/dev/null ||
    wanted+=("${for_plot[@]}")
  [[ ${1:-} != python ]] || wanted+=("${for_python[@]}")
  ! hypergraph_is_named "$@" || wanted+=("${for_hypergraph[@]}")
  ! starpu_will_run "$@" || wanted+=("${for_starpu[@]}")
}

lacking=()  # of what is indispensable; may be there otherwise, not as a Debian package
ensure_packages() {
  if ! have dpkg-query; then
    have cmake ||
      refuse "this is no Debian: install a C++20 compiler, CMake, Ninja and the libraries of" \
        "cmake/Dependencies.cmake, then call again"
    return 0  # CMake names what else is missing
  fi
  find_wanted "$@"
  ensure "${wanted[@]}"  # all at once; below those that can be had, if not all can
  local -a not_wanted=()
  [[ -z $declined ]] || not_wanted=("${absent[@]}")
  ensure "${needed[@]}"
  if ((${#absent[@]})); then
    lacking=("${absent[@]}")
    ! can_install || fail "the packages could not be installed"
    have cmake "${CXX:-c++}" || refuse "$(missing "${lacking[@]}")"
  else
    ((!${#not_wanted[@]})) || note declined "${not_wanted[@]}"  # asks no more; what is indispensable it asks for again
  fi
  would_have "fast host kernels" "${for_speed[@]}"
  would_have "files packed by gzip" "${for_packed[@]}"
  would_have "a fast reader of large JSON files" "${for_json[@]}"
  if [[ ${1:-} == test ]]; then
    ensure "${for_test[@]}"
    lacking+=("${absent[@]}")
    would_have "the tests of plots" "${for_plot[@]}"
  elif [[ " ${wanted[*]} " == *" ${for_plot[*]} "* ]]; then
    ensure "${for_plot[@]}"  # the program says what is missing
  fi
  if [[ ${1:-} == test ]] || hypergraph_is_named "$@"; then
    would_have "the strategy hypergraph" "${for_hypergraph[@]}"
  fi
  if [[ ${1:-} == test ]] || starpu_will_run "$@"; then
    would_have "runs on StarPU" "${for_starpu[@]}"
  fi
}
