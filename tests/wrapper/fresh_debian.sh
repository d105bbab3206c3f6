#!/usr/bin/env bash
# Runs README's first command and `./damocles test` on a bare Debian 12 and prints the minutes that each takes:
#
#   tests/wrapper/fresh_debian.sh FOLDER              makes the system, then runs both commands
#   tests/wrapper/fresh_debian.sh FOLDER STEP...      runs only these steps: system, first, test
#
# debootstrap makes the system in FOLDER, from the mirror that this machine itself installs from. `first` copies
# the files that git knows into it. Root runs the commands there, by chroot. Needs root, debootstrap and git. It
# takes about 20 minutes, so ctest does not run it. FOLDER stays, for a look; nothing stays mounted.
#
# Exit status: 0 where every step worked, 1 where one failed, 2 where it cannot be started.
set -euo pipefail

readonly suite=bookworm

say() { printf 'fresh_debian: %s\n' "$*"; }
refuse() { say "$*" >&2; exit 2; }

self=$(readlink -f -- "${BASH_SOURCE[0]}")
readonly self checkout=${self%/tests/wrapper/*}
[[ -n ${1:-} && $1 != -* ]] || refuse "give the folder to make the system in: $0 FOLDER [system|first|test]..."
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

# The first command that README shows.
first_command() { sed -n 's/^[$] \(\.\/damocles .*\)/\1/p' "$checkout/README.md" | head -n 1; }

# within COMMAND: in the system's copy of the checkout, with an environment as bare as the system.
within() {
  cp -L /etc/resolv.conf /etc/hosts "$system/etc/" 2>/dev/null || true
  chroot "$system" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
    bash -c "cd /root/damocles && $1" </dev/null
}

packages() { chroot "$system" dpkg-query -f '.\n' -W | grep -c .; }

# step NAME COMMAND...: says how long it took, and how it ended.
step() {
  local began=$SECONDS status=0
  say "$1: ${*:2}"
  "${@:2}" || status=$?
  say "$(printf '%s: %d:%02d minutes, exit status %d, %d packages, %s' "$1" $(((SECONDS - began) / 60)) \
    $(((SECONDS - began) % 60)) "$status" "$(packages)" "$(du -shx --exclude=proc --exclude=sys "$system" | cut -f1)")"
  ((status == 0)) || exit 1
}

steps=("${@:2}")
((${#steps[@]})) || steps=(system first test)
for name in "${steps[@]}"; do
  [[ $name =~ ^(system|first|test)$ ]] || refuse "there is no step '$name': write system, first or test"
done
for name in "${steps[@]}"; do
  if [[ $name == system ]]; then
    step system make_system
    continue
  fi
  [[ -d $system/root ]] || refuse "no system is in $system: add the step 'system'"
  mountpoint -q "$system/proc" || mount_system
  [[ $name != first ]] || copy_checkout
  command="./damocles test"
  [[ $name != first ]] || command=$(first_command)
  [[ -n $command ]] || refuse "README.md shows no command: a line that begins with '$ ./damocles '"
  step "$name" within "$command"
done
