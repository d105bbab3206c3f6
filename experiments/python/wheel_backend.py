"""Builds the package as a wheel (PEP 517): CMake makes the module, and the rest is a zip file with a list of its files."""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build-python"
VERSION = re.search(r"project\(damocles VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
METADATA = f"""Metadata-Version: 2.1
Name: damocles
Version: {VERSION}
Summary: A laboratory for data-movement-aware scheduling
Requires-Python: >=3.9
Requires-Dist: numpy
"""


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub(r'[-.]', '_', sysconfig.get_platform())}"


def _build_module() -> Path:
    """The folder of the package."""
    jobs = os.environ.get("DAMOCLES_JOBS", str(os.cpu_count()))
    subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release", "-DDAMOCLES_UNITY=ON",
                    "-DDAMOCLES_PYTHON_PACKAGE=ON", f"-DPython3_EXECUTABLE={sys.executable}"],
                   check=True)  # fmt: skip
    if "DAMOCLES_PYTHON_FOUND:INTERNAL=OFF" in (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"):
        sys.exit("missing Debian packages: python3-dev python3-numpy pybind11-dev; as root: "
                 "apt-get install -y --no-install-recommends python3-dev python3-numpy pybind11-dev")  # fmt: skip
    subprocess.run(["cmake", "--build", BUILD, "--target", "damocles_python", "damocles_papers_module", "-j", jobs], check=True)
    return BUILD / "python" / "damocles"


def _digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    package, info = _build_module(), f"damocles-{VERSION}.dist-info"
    files = {f"damocles/{path.name}": path.read_bytes() for path in sorted(package.iterdir())
             if path.suffix in (".py", ".pyi", ".so", ".typed")}  # fmt: skip
    # Beside the package's own library, where it looks for them (models/modules.hpp).
    files |= {f"damocles/modules/{path.name}": path.read_bytes() for path in sorted((BUILD / "modules").glob("*.so"))}
    files |= {f"damocles/plots/{path.name}": path.read_bytes() for path in sorted((package / "plots").glob("*.py"))}
    files[f"{info}/METADATA"] = METADATA.encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: damocles\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = [f"{name},{_digest(content)},{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    wheel = f"damocles-{VERSION}-{_tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    raise NotImplementedError("damocles is built from a checkout; call pip wheel . there")
