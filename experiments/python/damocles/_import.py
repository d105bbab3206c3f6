"""What the compiled module needs, said in a line where it is missing."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path


def check() -> None:
    """Raises ImportError where the module is for another interpreter, or NumPy is missing."""
    modules = [path.name for path in Path(__file__).parent.glob("_damocles.*.so")]
    if modules and not any(name == "_damocles" + ending for name in modules
                           for ending in importlib.machinery.EXTENSION_SUFFIXES):  # fmt: skip
        raise ImportError(f"damocles was built for another Python than {sys.executable}, which is "
                          f"{sys.version_info.major}.{sys.version_info.minor}: its module is {modules[0]}; call that Python, "
                          "or build with this one") from None  # fmt: skip
    if importlib.util.find_spec("numpy") is None:
        raise ImportError(f"damocles needs NumPy, which {sys.executable} does not have: apt-get install python3-numpy, "
                          "or pip install numpy") from None  # fmt: skip
