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
    """No line ends between a number and %, within an option, or within a cell of one word. Cells of text are marked."""
    def unbroken(part: str) -> str:
        if part.startswith("<pre"):
            return part
        if part.startswith("<code"):
            return re.sub(r"(?<=[ >])--[a-z-]+", r'<span class="unbroken">\g<0></span>', part)
        return re.sub(r"<td>(?=[^\s<>]{1,32}</td>)", '<td class="unbroken">', re.sub(r"(?<=\d) %", "\u00a0%", part))
    def marked(cell: "re.Match[str]") -> str:
        return cell[0].replace("<td", '<td class="text"', 1) if len(re.sub(r"<[^>]*>", "", cell[0])) > 40 else cell[0]
    parts = re.split(r"(<pre.*?</pre>|<code.*?</code>)", re.sub(r"<td[^>]*>.*?</td>", marked, html, flags=re.S), flags=re.S)
    return "".join(map(unbroken, parts))


def on_post_page(output: str, **_: Any) -> str:
    """Loads site.js before the theme's script, which asks for the index and starts the worker."""
    return re.sub(r'<script src="([^"]*)assets/javascripts/bundle', r'<script src="\1site.js"></script>\n      \g<0>', output)


def on_post_build(config: Any, **_: Any) -> None:
    folder = Path(config["site_dir"], "search")
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"searchIndex = {index};\n", encoding="utf-8")
