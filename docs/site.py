"""What `./damocles docs` adds to mkdocs: README's beginning on the first page, notebooks as pages, titles for the names
of files, lines that break well, sub- and superscripts of formulas, blocks whose commands are copied alone, search from
the disk."""

import html
import json
import posixpath
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Makes notebooks pages: mkdocs would copy them."""
    from mkdocs.structure.files import File  # tests of what is below go without mkdocs

    class NotebookFile(File):
        def is_documentation_page(self) -> bool:
            return True

    for one in list(files):
        if one.src_path.endswith(".ipynb"):
            files.remove(one)
            files.append(NotebookFile(one.src_path, config["docs_dir"], config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_read_source(page: Any, **_: Any) -> "str | None":
    if not page.file.src_path.endswith(".ipynb"):
        return None
    return notebook_text(json.loads(Path(page.file.abs_src_path).read_text(encoding="utf-8")))


def notebook_text(notebook: "dict[str, Any]") -> str:
    """The cells of a notebook, with what they printed and drew."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(with_formulas(source))
            continue
        parts.append(f"````python\n{source}\n````")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                image = "".join(data["image/png"]).replace("\n", "")
                parts.append(f'<p><img alt="What the cell draws" src="data:image/png;base64,{image}"></p>')
            else:
                text = "".join(output.get("text", data.get("text/plain", "")))
                parts.append(f"````text\n{text.rstrip()}\n````")
    return "\n\n".join(parts) + "\n"


def with_formulas(text: str) -> str:
    """Formulas of TeX as MathML, which browsers show without a script."""
    text = re.sub(r"\$\$(.+?)\$\$", lambda found: f'<p><math display="block">{mathml(found[1])}</math></p>', text, flags=re.S)
    return re.sub(r"(?<![`\w])\$([^$`\n]+)\$(?!\w)", lambda found: f"<math>{mathml(found[1])}</math>", text)


GREEK = {"alpha": "α", "beta": "β", "tau": "τ", "sum": "∑"}
SPACES = {",": "0.17em", "qquad": "2em", "quad": "1em"}


def mathml(tex: str) -> str:
    """The part of TeX that the notebooks use; ValueError of anything else."""
    tokens = re.findall(r"\\[a-zA-Z]+|\\.|\d+|\S", tex)

    def atom() -> str:
        token = tokens.pop(0)
        if token == "{":
            return row("}")
        if token[0] != "\\":
            kind = "mn" if token.isdigit() else "mi" if token.isalpha() else "mo"
            still = ' stretchy="false"' if token in "()" else ""
            return f"<{kind}{still}>{html.escape(token).replace('-', '−')}</{kind}>"
        if token == "\\frac":
            return f"<mfrac>{atom()}{atom()}</mfrac>"
        if token == "\\sqrt":
            return f"<msqrt>{atom()}</msqrt>"
        if token[1:] in SPACES:
            return f'<mspace width="{SPACES[token[1:]]}"></mspace>'
        if token[1:] in GREEK:
            return f"<mi>{GREEK[token[1:]]}</mi>"
        raise ValueError(f"no MathML is known for {token} in {tex}")

    def row(end: str) -> str:
        parts = []
        while tokens and tokens[0] != end:
            part = atom()
            while tokens and tokens[0] in ("^", "_"):
                kind = "msup" if tokens.pop(0) == "^" else "msub"
                part = f"<{kind}>{part}{atom()}</{kind}>"
            parts.append(part)
        if end:
            tokens.pop(0)
        return f"<mrow>{''.join(parts)}</mrow>"

    return row("")


def home(readme: str, index: str) -> str:
    """README's picture, first command and doors, and below them the table of all pages."""
    beginning = readme.split("\n## How it compares\n")[0].split("\n[All pages](")[0].replace("](docs/", "](")
    return f"{beginning}\n\n## All pages\n{index.split(chr(10), 1)[1]}"


def on_page_markdown(markdown: str, page: Any, files: Any, **_: Any) -> str:
    """[terms.md](terms.md) helps on GitHub; on the site the text is the title in the navigation."""
    if page.file.src_path == "index.md":
        markdown = home((DOCS.parent / "README.md").read_text(encoding="utf-8"), markdown)

    def titled(link: "re.Match[str]") -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_path), link[1]))
        return f"[*{files.get_file_from_path(target).page.title}*]({link[1]})"
    return re.sub(r"\[\w+\.md\]\((\S+\.md)\)", titled, markdown)


# x_k, rs_k, dL_k, C_ij, ε_D, Σ_{i<d}: a name of one letter (or rs) with an index of one or two.
INDEX = "[A-Za-zα-ω0-9]{1,2}(?![A-Za-zα-ω0-9_])"
SUBSCRIPT = re.compile(r"(?<!\w)(d?rs|d?[^\W\d_]|[∑∏∫])_(?:\{([^{}]*)\}|(" + INDEX + "))")
# e^(−β rs_k), x^d, N^3, e^{ε_D}: what stands in brackets may hold brackets of its own.
SUPERSCRIPT = re.compile(r"\^(?:\(((?:[^()]|\([^()]*\))*)\)|\{([^{}]*)\}|([−-]?[\w.]*\w))")


def typeset(text: str) -> str:
    """Text without tags, with sub- and superscripts in place of _ and ^."""
    text = SUBSCRIPT.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", text)
    return SUPERSCRIPT.sub(lambda found: f"<sup>{next(part for part in found.groups() if part)}</sup>", text)


def typeset_outside_code(html: str) -> str:
    pieces = re.split(r"(<code>.*?</code>|<[^>]*>)", html, flags=re.S)
    return "".join(piece if piece.startswith("<") else typeset(piece) for piece in pieces)


def typeset_block(html: str) -> str:
    return "".join(piece if piece.startswith("<") else typeset(piece) for piece in re.split(r"(<[^>]*>)", html))


def is_formula(block: str) -> bool:
    """Whether a block of code is one, and no command, output or program."""
    return re.search(r"[βτΣΠε√≤−]", block) is not None and re.search(r"damocles|python|[$] |//|─|–", block) is None


def session(block: str) -> str:
    """A block of commands and their output: the copy button takes the commands, as site.css hides the rest of it."""
    shown, goes_on, until = [], False, ""
    for line in block.removesuffix("\n").split("\n"):
        if line.startswith("$ ") and not goes_on and not until:
            command = line[2:]
            shown.append(f'<span class="prompt">$ </span>{command}\n')
        elif goes_on or until:
            command = line
            shown.append(f"{line}\n")
        else:
            shown.append(f'<span class="output">{line}\n</span>')
            continue
        until = "" if line == until else "END" if re.search("&lt;&lt;.*END", line) else until
        goes_on = command.endswith("\\")
    return "".join(shown)


def on_page_content(html: str, **_: Any) -> str:
    """Lines do not end between a number and %, within an option or a cell of one word, but at the commas of long code."""
    def cell(found: "re.Match[str]") -> str:
        text = re.sub(r"<[^>]*>", "", found[2])
        kind = "text" if len(text) > 40 else "" if re.search(r"\s", text) else "unbroken"
        return f'<td class="{kind}"{found[1]}>{found[2]}</td>' if kind else found[0]

    def code(found: "re.Match[str]") -> str:
        text = re.sub(r"(?<![\w-])--[a-z-]+", r'<span class="unbroken">\g<0></span>', found[1])
        return f'<code class="long">{text.replace(",", ",<wbr>")}</code>' if len(found[1]) > 40 else f"<code>{text}</code>"

    def outside_blocks(part: str) -> str:
        part = re.sub(r"(?<=\d) %", "\u00a0%", typeset_outside_code(part))
        return re.sub(r"<code>(.*?)</code>", code, re.sub(r"<td([^>]*)>(.*?)</td>", cell, part, flags=re.S), flags=re.S)

    html = re.sub(r'(<pre><code class="language-console">)(.*?)(</code></pre>)',
                  lambda found: found[1] + session(found[2]) + found[3], html, flags=re.S)
    parts = re.split(r"(<pre.*?</pre>)", html, flags=re.S)
    return "".join(outside_blocks(part) if not part.startswith("<pre") else
                   typeset_block(part) if is_formula(part) else part for part in parts)


def on_post_page(output: str, **_: Any) -> str:
    """Loads site.js before the theme's script, which asks for the index and starts the worker."""
    return re.sub(r'<script src="([^"]*)assets/javascripts/bundle', r'<script src="\1site.js"></script>\n      \g<0>', output)


def on_post_build(config: Any, **_: Any) -> None:
    folder = Path(config["site_dir"], "search")
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"searchIndex = {index};\n", encoding="utf-8")
