"""Which section of a paper's notebook shows an artifact: the headings are searched, none is typed."""

import re

ROMAN = {str(i): name for i, name in enumerate("I II III IV V VI VII VIII IX X".split(), start=1)}
KINDS = {"table": r"Tables?", "fig": r"(?:Figures?|Figs?\.?)"}


def section_of(artifact: str, headings: list[tuple[str, str]]) -> str:
    """Anchor of the first heading that names the artifact, "" (the top of the page) where none does.

    ``headings`` are pairs of text and anchor. A heading such as "Figures 9 and 10: clustering" names both figures.

    >>> found = [("A paper", ""), ("Table II: errors", "#table-ii"), ("Figures 9 and 10: clusters", "#figures")]
    >>> section_of("chen2012_table2", found), section_of("x_fig10", found), section_of("x_fig1", found)
    ('#table-ii', '#figures', '')
    """
    name = artifact.partition("_")[2]
    printed = re.fullmatch(r"(table|fig)(\d+)", name)
    if not printed:
        word = re.compile(rf"\b{re.escape(name)}\b", re.I)
        return next((anchor for text, anchor in headings if word.search(text)), "")
    kind, number = printed.groups()
    for text, anchor in headings:
        for named in re.finditer(rf"\b{KINDS[kind]}\s+([^:]*)", text):
            if {number, ROMAN.get(number)} & set(_numbers(named.group(1))):
                return anchor
    return ""


def _numbers(text: str) -> list[str]:
    """Numbers, Arabic or Roman, that a list such as "IV, VI, VII" or "9 and 10" begins with."""
    found = re.match(r"(?:\d+|[IVX]+)\b(?:\s*(?:,|and|to|-|;)\s*(?:and\s+)?(?:\d+|[IVX]+)\b)*", text)
    return re.findall(r"\d+|[IVX]+", found.group()) if found else []
