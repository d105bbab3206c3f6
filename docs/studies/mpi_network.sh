#!/bin/bash
# Executed against simulated makespans on a network of known bandwidth: ranks of an MPI job in network namespaces
# of this machine, which tc slows down. Makes the table of docs/reference/execution.md, "On the ranks of an MPI job".
#
#   sudo docs/studies/mpi_network.sh [PROGRAM]
#
# It needs root, iproute2, ethtool and Open MPI, and takes 4 minutes. It leaves nothing behind.
set -euo pipefail

program=$(realpath "${1:-build/experiments/damocles}")
readonly program
readonly processors=3
readonly mbit=80 # of each link
readonly goodput=$((mbit * 1000000 * 1448 / 8 / 1514)) # bytes/s: what TCP leaves of Ethernet frames
readonly net=10.77.0
work=$(mktemp -d)
readonly work

clean_up() {
  for i in $(seq 0 $processors) b; do ip netns del "dn$i" 2> /dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT

# A namespace for each rank, with one link to a bridge in a namespace of its own.
ip netns add dnb
ip -n dnb link add br0 type bridge
ip -n dnb link set br0 up
for i in $(seq 0 $processors); do
  ip netns add "dn$i"
  ip -n "dn$i" link add eth0 type veth peer name "port$i" netns dnb
  ip -n "dn$i" addr add "$net.$((i + 1))/24" dev eth0
  ip -n "dn$i" link set lo up
  ip -n "dn$i" link set eth0 up
  ip -n dnb link set "port$i" master br0 up
  # Frames as on a wire, or a burst of 64 kB would pass as one.
  ip netns exec "dn$i" ethtool -K eth0 tso off gso off gro off > /dev/null
  ip netns exec dnb ethtool -K "port$i" tso off gso off gro off > /dev/null
  tc -n "dn$i" qdisc add dev eth0 root tbf rate ${mbit}mbit burst 16kb latency 20ms
  # Results of all ranks arrive at rank 0 side by side, as duplex=true has it; other ranks receive as fast as one sends.
  [[ $i == 0 ]] && continue
  tc -n dnb qdisc add dev "port$i" root tbf rate ${mbit}mbit burst 16kb latency 20ms
done

# Starts a command of mpirun's on an address: in its namespace, with a host name of its own, so that Open MPI does
# not take the ranks for neighbours that share memory.
cat > "$work/agent" << 'END_OF_AGENT'
#!/bin/bash
address=$1
shift
i=$((${address##*.} - 1))
exec ip netns exec "dn$i" unshare --uts sh -c "hostname rank$i; $*"
END_OF_AGENT
chmod +x "$work/agent"

hosts=$(seq -s, -f "$net.%g" 1 $((processors + 1)))
# Open MPI sends a large message over TCP as a whole, and small ones, which start tasks, wait behind it. These
# parameters cut it into pieces, and keep few of them in the socket.
readonly pieces=(--mca btl_tcp_flags 1 --mca btl_tcp_max_send_size 32768 --mca btl_tcp_sndbuf 32768
  --mca pml_ob1_send_pipeline_depth 2)
on_ranks() {
  ip netns exec dn0 unshare --uts sh -c 'hostname rank0; exec nice -n -10 "$@"' sh \
    mpirun --allow-run-as-root -n $((processors + 1)) --host "$hosts" --bind-to none \
    --mca plm_rsh_agent "$work/agent" --mca btl tcp,self --mca btl_tcp_if_include "$net.0/24" \
    --mca oob_tcp_if_include "$net.0/24" "${pieces[@]}" "$program" "$@"
}

echo "| tasks, memory, what they compute | strategy | loads | simulated loads | makespan [s] | simulated [s] | error |"
echo "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
# A product of tiles of 512 numbers square, each 1 MiB, of which a task takes 0.2 s; the result of a task is a checksum
# of 8 bytes, or the product, a tile too.
compare() { # size, memory, strategies, what tasks compute, further keys of the platform
  local gflops=1.34217728 # 2 * 512^3 in 0.2 s
  local platform="gpus:k=$processors,memory=$2,gflops=$gflops,bandwidth=${goodput}B/s,link=${goodput}B/s,latency=1ms$5"
  on_ranks compare "gemm2d:n=$1,tile=512,k=512" "$platform" --strategies "$3" --compute "$4" --backend mpi --pace 200ms \
    --replicates 3 --quiet --format csv > "$work/rows.csv"
  python3 - "$work/rows.csv" "$1" "$2" "$4" << 'END_OF_TABLE'
import csv, sys
from statistics import mean
rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))
for strategy in dict.fromkeys(row["strategy"] for row in rows):
    loads, seconds = ([mean(float(row[column]) for row in rows if (row["strategy"], row["source"]) == (strategy, source))
                       for source in ("executed", "simulated")] for column in ("loads", "makespan_s"))
    print(f"| n = {sys.argv[2]}, {sys.argv[3]}, {sys.argv[4]} | `{strategy}` | {loads[0]:.1f} | {loads[1]:.1f} "
          f"| {seconds[0]:.2f} | {seconds[1]:.2f} | {100 * (seconds[0] / seconds[1] - 1):+.1f} % |")
END_OF_TABLE
}
compare 8 12data darts,dmdar,eager checksum ""
compare 8 6data darts,dmdar,eager checksum ""
compare 8 12data darts,dmdar,eager product ,writeback=true,duplex=true
