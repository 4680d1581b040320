"""Writes the two sample invoices beside this file. The vendor is made up.

Run `python examples/invoices/make_sample.py [FOLDER]`. The output never changes by a
byte, and the tests compare it with the files that are checked in.
"""

import sys
from pathlib import Path

LINES = (
    "Quillfeather Paper Ltd",
    "7 Inkwell Row, Papertown",
    "",
    "Invoice",
    "Invoice number: QF-2024-0117",
    "Invoice date: 31 May 2024",
    "",
    "40 reams of laid paper, ivory        EUR 1,120.00",
    "25 boxes of goose quills             EUR   392.50",
    "",
    "Total due: EUR 1,512.50",
    "Payable within 30 days.",
)
SAMPLES = {
    "invoice.pdf": LINES,
    "invoice-without-date.pdf": tuple(x for x in LINES if "date" not in x),
}


def pdf(lines: tuple[str, ...]) -> bytes:
    """One A4 page in Courier, as plain PDF 1.4."""
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    content = f"BT /F1 11 Tf 16 TL 56 770 Td {shown} ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    )
    body, offsets = "%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    return (
        f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode("ascii")


def main(folder: Path) -> None:
    for name, lines in SAMPLES.items():
        (folder / name).write_bytes(pdf(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent)
