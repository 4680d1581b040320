"""The readable text of an HTML page, without its scripts, styles and tags.

One pass from left to right that never looks at a character twice: what the standard
parser does with thousands of unclosed tags or comments takes minutes. Whatever is not
closed takes the rest of the page along, as in a browser.
"""

import re
from html import unescape

_SILENT = frozenset({"noscript", "script", "style", "svg", "template"})
# Their content is no markup, up to their end tag.
_RAW = frozenset({"script", "style"})
_BLOCK = re.compile(
    "address|article|aside|blockquote|br|dd|div|dl|dt|figcaption|figure|footer|form|"
    "h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|title|tr|ul"
)
_TAG = re.compile(r"</?([a-zA-Z][^\s/>]{0,30})")
# Up to the `>` that ends a tag; one inside quotes does not.
_REST_OF_TAG = re.compile(r"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
_RAW_END = {name: re.compile(f"</{name}", re.IGNORECASE) for name in _RAW}
# No character has so many digits, and Python refuses to read very long numbers.
_HUGE_NUMBER = re.compile("&#[0-9]{8,};?")


class _Reader:
    """Where the pass stands, and what it found."""

    def __init__(self, html: str) -> None:
        self.parts: list[str] = []
        self._html = html
        self._at = 0
        self._silent_depth = 0

    def read(self) -> None:
        while self._at < len(self._html):
            opened = self._html.find("<", self._at)
            self._text(len(self._html) if opened < 0 else opened)
            if opened >= 0:
                self._at = self._markup(opened)

    def _text(self, end: int) -> None:
        if not self._silent_depth:
            self.parts.append(self._html[self._at : end])
        self._at = end

    def _markup(self, at: int) -> int:
        """Where it goes on after the markup that begins here."""
        if self._html.startswith("<!--", at):
            return self._after("-->", at + 4)
        if self._html.startswith(("<!", "<?"), at):
            return self._after(">", at)
        tag = _TAG.match(self._html, at)
        if tag is None:  # A lone `<`.
            self._at = at
            self._text(at + 1)
            return at + 1
        rest = _REST_OF_TAG.match(self._html, tag.end())
        if rest is None:
            return len(self._html)
        return self._tag(tag[1].lower(), tag[0].startswith("</"), rest.end())

    def _tag(self, name: str, closes: bool, end: int) -> int:
        if not closes and self._is_empty(name, end):
            return end
        if name in _SILENT and closes:
            self._silent_depth = max(self._silent_depth - 1, 0)
        elif name in _SILENT:
            self._silent_depth += 1
        if _BLOCK.fullmatch(name):
            self.parts.append("\n")
        elif name in {"td", "th"}:
            self.parts.append("\t")
        if name in _RAW and not closes:
            closing = _RAW_END[name].search(self._html, end)
            return closing.start() if closing else len(self._html)
        return end

    def _is_empty(self, name: str, end: int) -> bool:
        """`<svg … />` has no content; `<script />` has, but for one inside an <svg>."""
        if name not in _SILENT or not self._html.startswith("/>", end - 2):
            return False
        return name not in _RAW or self._silent_depth > 0

    def _after(self, mark: str, start: int) -> int:
        found = self._html.find(mark, start)
        return len(self._html) if found < 0 else found + len(mark)


def html_to_text(html: str) -> str:
    """One line per block, no empty lines, runs of spaces as one."""
    reader = _Reader(html)
    reader.read()
    text = unescape(
        _HUGE_NUMBER.sub("\N{REPLACEMENT CHARACTER}", "".join(reader.parts))
    )
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)
