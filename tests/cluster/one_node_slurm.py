"""Slurm on this machine: a controller and one node, with a key and files of its own."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable

CONFIGURATION = """ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_until(happens: Callable[[], object], what: str) -> None:
    for _ in range(3000):
        if happens():
            return
        time.sleep(0.1)
    raise AssertionError(f"no sign of {what} for five minutes")


class OneNodeSlurm:
    """From start() to stop(). Needs root, and Debian's slurm-wlm."""

    def __init__(self, cpus: int) -> None:
        self.folder = tempfile.mkdtemp(prefix="one_node_slurm.")
        os.chmod(self.folder, 0o755)  # munged wants to be sure of its socket's folder
        self.cpus = cpus
        self.environment = {**os.environ, "SLURM_CONF": f"{self.folder}/slurm.conf"}

    def start(self) -> None:
        for name in ("state", "spool"):
            os.mkdir(f"{self.folder}/{name}")
        with open(f"{self.folder}/key", "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as key:
            key.write(os.urandom(128))
        with open(f"{self.folder}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=self.folder, host=socket.gethostname().split(".")[0], cpus=self.cpus,
                                            controller_port=free_port(), node_port=free_port()))  # fmt: skip
        at = self.folder
        self.run("munged", "--force", f"--socket={at}/munge.socket", f"--key-file={at}/key", f"--pid-file={at}/munged.pid",
                 f"--log-file={at}/munged.log", f"--seed-file={at}/seed")  # fmt: skip
        self.run("slurmctld")
        self.run("slurmd")
        wait_until(lambda: "idle" in self.run("sinfo", "--noheader", "--format=%T"), "a node that takes jobs")

    def run(self, *words: str, cwd: str | None = None) -> str:
        """What a command says. Raises where it fails."""
        done = subprocess.run(words, cwd=cwd, env=self.environment, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def stop(self) -> None:
        for daemon in ("slurmd", "slurmctld", "munged"):
            try:
                with open(f"{self.folder}/{daemon}.pid", encoding="utf-8") as file:
                    os.kill(int(file.read()), 15)
            except (OSError, ValueError):
                pass  # it did not start
        shutil.rmtree(self.folder, ignore_errors=True)
