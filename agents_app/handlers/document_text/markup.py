"""The readable text of an HTML page, without its scripts, styles and tags."""

import re
from html.parser import HTMLParser

_SILENT = frozenset({"script", "style", "template", "noscript", "svg"})
_BLOCK = re.compile(
    "address|article|aside|blockquote|br|dd|div|dl|dt|figcaption|figure|footer|form|"
    "h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|title|tr|ul"
)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent_depth += 1
        self._break_before(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT and self._silent_depth:
            self._silent_depth -= 1
        self._break_before(tag)

    def handle_data(self, data: str) -> None:
        if not self._silent_depth:
            self.parts.append(data)

    def _break_before(self, tag: str) -> None:
        if _BLOCK.fullmatch(tag):
            self.parts.append("\n")
        elif tag in {"td", "th"}:
            self.parts.append("\t")


def html_to_text(html: str) -> str:
    """One line per block, no empty lines, runs of spaces as one."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).splitlines())
    return "\n".join(line for line in lines if line)
