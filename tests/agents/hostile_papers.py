"""PDFs made to hurt whoever reads them: small files that take a lot."""

import zlib


def whole(*objects):
    """A PDF of these objects, the first one being its catalogue."""
    body, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, text in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    start, size = len(body), len(objects) + 1
    body += b"xref\n0 %d\n0000000000 65535 f \n" % size
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer <</Size %d/Root 1 0 R>>\n" % size
    return bytes(body + b"startxref\n%d\n%%%%EOF" % start)


def stream(data, entries=b"", *, times=1):
    """`data` so many times, packed; it is never here as a whole."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(data) for _ in range(times)) + packer.flush()
    head = b"<<%s/Filter/FlateDecode/Length %d>>" % (entries, len(packed))
    return b"%sstream\n%s\nendstream" % (head, packed)


def page_that_says(content, *, pages=1, resources=b"", more=()):
    """One page, listed so often; `more` are objects from number 6 on."""
    return whole(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, b"3 0 R " * pages),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>%s>>>>" % resources,
        content,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *more,
    )


def busy_page(thousands, *, pages=1):
    """Each text takes some µs and some hundred bytes."""
    text = b"BT /F 9 Tf (A) Tj ET " * 1_000
    return page_that_says(stream(text, times=thousands), pages=pages)


def slow_page():
    """Takes seconds, and no memory but its own packed 140 MB: nothing is drawn."""
    return page_that_says(stream(b"[9]9 d " * 1_000, times=20_000))


def blank_gigabyte():
    return page_that_says(stream(b" " * 1_000_000, times=1_000))


def forms_within_forms(levels=40):
    """Each draws the next one four times."""
    drawn = b"/X Do " * 4
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
    own = [
        stream(drawn, form + b"/Resources<</XObject<</X %d 0 R>>>>" % number)
        for number in range(7, 7 + levels)
    ]
    resources = b"/XObject<</X 6 0 R>>"
    return page_that_says(
        stream(drawn), resources=resources, more=(*own, stream(b"", form))
    )


def deep_tree(levels):
    """A single page, below so many others that hold nothing else."""
    inner = (
        b"<</Type/Pages/Count 1/Kids[%d 0 R]>>" % (number + 1)
        for number in range(2, 2 + levels)
    )
    last = b"<</Type/Page/MediaBox[0 0 99 99]>>"
    return whole(b"<</Type/Catalog/Pages 2 0 R>>", *inner, last)
