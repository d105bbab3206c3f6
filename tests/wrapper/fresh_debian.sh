#!/usr/bin/env bash
# Runs what README names on a bare Debian 12 and prints the minutes, CPU seconds and packages that each takes:
#
#   tests/wrapper/fresh_debian.sh FOLDER              makes the system, then runs all steps
#   tests/wrapper/fresh_debian.sh FOLDER STEP...      runs only these steps
#
# Steps: `system` makes it, `first` is README's first command, `tutorial` the commands of docs/tutorial/first_hour.md,
# `python` builds the package and does what this prints, `archive` packs the program and unpacks it, `test` runs all tests,
# those of the Python package and the notebooks among them.
#
# debootstrap makes the system in FOLDER, from the mirror that this machine itself installs from. `first` copies
# the files that git knows into it. Root runs the commands there, by chroot. Needs root, debootstrap and git. It
# takes about 30 minutes, so ctest does not run it. FOLDER stays, for a look; nothing stays mounted.
#
# Exit status: 0 where every step worked, 1 where one failed, 2 where it cannot be started.
set -euo pipefail

readonly suite=bookworm

say() { printf 'fresh_debian: %s\n' "$*"; }
refuse() { say "$*" >&2; exit 2; }

self=$(readlink -f -- "${BASH_SOURCE[0]}")
readonly self checkout=${self%/tests/wrapper/*}
[[ -n ${1:-} && $1 != -* ]] || refuse "give the folder to make the system in: $0 FOLDER [STEP]..."
((EUID == 0)) || refuse "only root can make a system and change into it: call it as root"

# In a mount and a process namespace of its own: what it mounts and starts ends with it.
if [[ -z ${FRESH_DEBIAN_INSIDE:-} ]]; then
  for tool in debootstrap git chroot unshare; do
    command -v "$tool" >/dev/null || refuse "there is no $tool: apt-get install debootstrap git"
  done
  FRESH_DEBIAN_INSIDE=1 exec unshare --mount --pid --fork --kill-child bash "$self" "$@"
fi

system=$(readlink -m -- "$1")
readonly system

# This machine's own source of the suite's packages: its address.
mirror() {
  # shellcheck disable=SC2016  # they are apt-get's
  apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Identifier: Packages' |
    awk -v suite="$suite" '$1 == suite && $2 == "main" { print $3; exit }'
}

make_system() {
  [[ ! -e $system || -z $(ls -A -- "$system") ]] || refuse "$system is there already: remove it, or leave out 'system'"
  local address
  address=$(mirror)
  [[ -n $address ]] || refuse "this machine has no apt source of $suite"
  mkdir -p -- "$system"
  chmod 755 -- "$system"  # mktemp -d makes one that no user but root can enter
  debootstrap --variant=minbase "$suite" "$system" "$address" >"$system.log" 2>&1 ||
    { tail -n 5 "$system.log"; return 1; }
  # How this machine reaches its mirror, where that takes more than the address.
  apt-config dump Acquire::http::Proxy >"$system/etc/apt/apt.conf.d/99mirror"
  apt-config dump Acquire::https::Proxy >>"$system/etc/apt/apt.conf.d/99mirror"
}

copy_checkout() {
  mkdir -p -- "$system/root/damocles"
  git -c "safe.directory=$checkout" -C "$checkout" ls-files -z |
    tar -C "$checkout" --null --files-from=- -c | tar -C "$system/root/damocles" -x
}

# A /proc, /dev and /sys of its own, with nothing of this machine's disks in it.
mount_system() {
  local device
  mount --make-rprivate /
  mount -t proc proc "$system/proc"
  mount -t tmpfs -o mode=755 dev "$system/dev"
  for device in null zero full random urandom tty; do
    : >"$system/dev/$device"
    mount --bind "/dev/$device" "$system/dev/$device"
  done
  mkdir "$system/dev/pts" "$system/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$system/dev/pts"
  mount -t tmpfs -o mode=1777 shm "$system/dev/shm"
  ln -s pts/ptmx "$system/dev/ptmx"
  ln -s /proc/self/fd "$system/dev/fd"
  ln -s fd/0 "$system/dev/stdin"
  ln -s fd/1 "$system/dev/stdout"
  ln -s fd/2 "$system/dev/stderr"
  mount -t sysfs -o ro sysfs "$system/sys" 2>/dev/null || say "without /sys"
}

# The command of a step, for the shell within.
# shellcheck disable=SC2016
command_of() {
  case $1 in
    first) sed -n 's/^[$] \(\.\/damocles .*\)/\1/p' "$checkout/README.md" | head -n 1 ;;
    tutorial) tutorial ;;
    python) echo 'lines=$(./damocles python) && echo "$lines" && eval "$lines"' ;;
    archive) echo 'file=$(./damocles archive) && tar -xzf "$file" -C /tmp && /tmp/damocles-*/bin/damocles --version' ;;
    test) echo "./damocles test" ;;
  esac
}

# What the page shows behind `$`, with the files that it has the reader write, in a folder of its own; and the package
# that it names.
tutorial() {
  echo "mkdir -p /tmp/hour && cd /tmp/hour && ln -sf /root/damocles/damocles . && set -e"
  echo "DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3 >/dev/null"
  # shellcheck disable=SC2016
  sed -n '/^```console$/,/^```$/p' "$checkout/docs/tutorial/first_hour.md" |
    awk '/^[$] / { told = ($0 ~ /<</); print substr($0, 3); next } told { print } /^END$/ { told = 0 }'
}

# within COMMAND: in the system's copy of the checkout, with an environment as bare as the system.
within() {
  cp -L /etc/resolv.conf /etc/hosts "$system/etc/" 2>/dev/null || true
  chroot "$system" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
    bash -c "cd /root/damocles && $1" </dev/null
}

packages() { chroot "$system" dpkg-query -f '.\n' -W | grep -c .; }

# Sets cpu_s to the CPU seconds of this script's children. `times` in a subshell would be the subshell's.
look_at_cpu() {
  times >"$system.times"
  cpu_s=$(awk 'NR == 2 { split($0, part, /[ms ]+/); print int(part[1] * 60 + part[2] + part[3] * 60 + part[4]) }' "$system.times")
}

# step NAME COMMAND...: says how long it took, and how it ended.
step() {
  local began=$SECONDS status=0 cpu_s cpu_before_s
  look_at_cpu
  cpu_before_s=$cpu_s
  say "$1: ${*:2}"
  "${@:2}" || status=$?
  look_at_cpu
  say "$(printf '%s: %d:%02d minutes, %d CPU seconds, exit status %d, %d packages, %s' "$1" $(((SECONDS - began) / 60)) \
    $(((SECONDS - began) % 60)) $((cpu_s - cpu_before_s)) "$status" "$(packages)" \
    "$(du -shx --exclude=proc --exclude=sys "$system" | cut -f1)")"
  ((status == 0)) || exit 1
}

readonly all_steps="system first tutorial python archive test"
steps=("${@:2}")
((${#steps[@]})) || read -ra steps <<<"$all_steps"
for name in "${steps[@]}"; do
  [[ " $all_steps " == *" $name "* ]] || refuse "there is no step '$name': write one of $all_steps"
done
for name in "${steps[@]}"; do
  if [[ $name == system ]]; then
    step system make_system
    continue
  fi
  [[ -d $system/root ]] || refuse "no system is in $system: add the step 'system'"
  mountpoint -q "$system/proc" || mount_system
  [[ $name != first ]] || copy_checkout
  command=$(command_of "$name")
  [[ -n $command ]] || refuse "README.md shows no command: a line that begins with '$ ./damocles '"
  step "$name" within "$command"
done
