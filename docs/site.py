"""What `./damocles docs` adds to mkdocs: titles for the names of files, lines that break well, search from the disk."""

import posixpath
import re
from pathlib import Path
from typing import Any


def on_page_markdown(markdown: str, page: Any, files: Any, **_: Any) -> str:
    """[terms.md](terms.md) helps on GitHub; on the site the text is the title in the navigation."""
    def titled(link: "re.Match[str]") -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_path), link[1]))
        return f"[*{files.get_file_from_path(target).page.title}*]({link[1]})"
    return re.sub(r"\[\w+\.md\]\((\S+\.md)\)", titled, markdown)


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
        part = re.sub(r"(?<=\d) %", "\u00a0%", part)
        return re.sub(r"<code>(.*?)</code>", code, re.sub(r"<td([^>]*)>(.*?)</td>", cell, part, flags=re.S), flags=re.S)

    parts = re.split(r"(<pre.*?</pre>)", html, flags=re.S)
    return "".join(part if part.startswith("<pre") else outside_blocks(part) for part in parts)


def on_post_page(output: str, **_: Any) -> str:
    """Loads site.js before the theme's script, which asks for the index and starts the worker."""
    return re.sub(r'<script src="([^"]*)assets/javascripts/bundle', r'<script src="\1site.js"></script>\n      \g<0>', output)


def on_post_build(config: Any, **_: Any) -> None:
    folder = Path(config["site_dir"], "search")
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"searchIndex = {index};\n", encoding="utf-8")
