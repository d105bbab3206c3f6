"""Runs the cells of a notebook without Jupyter, as far as the notebooks of docs/notebooks/ need.

    PYTHONPATH=build/python python3 tests/python/notebooks.py docs/notebooks/*.ipynb

runs notebooks and stores what their cells print and show.
"""

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (after its backend is chosen)


def outputs_of(source: str, names: "dict[str, Any]") -> "list[dict]":
    """Runs a cell: what it prints, the figures of pyplot that it leaves open, and its last expression."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    for number in plt.get_fignums():
        outputs.append(shown("display_data", picture_of(plt.figure(number))))
    plt.close("all")
    if hasattr(value, "_repr_png_"):
        outputs.append(shown("display_data", value._repr_png_()))
    elif value is not None:
        raise ValueError(f"the cell ends with {value!r}, which is neither printed nor a figure")
    return outputs


def picture_of(figure: Any) -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=80, metadata={"Software": None})
    return picture.getvalue()


def shown(kind: str, png: bytes) -> dict:
    return {"data": {"image/png": base64.b64encode(png).decode()}, "metadata": {}, "output_type": kind}


def run(notebook: dict) -> None:
    """Runs all cells in their order, and puts what comes out of them in the place of what was there."""
    names: "dict[str, Any]" = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = outputs_of("".join(cell["source"]), names)


def main(paths: "list[str]") -> None:
    for path in map(Path, paths):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        run(notebook)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
