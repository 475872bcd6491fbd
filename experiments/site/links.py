"""Every link inside the built site has a target: pages, files and anchors. Links to other hosts are not opened."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ADDRESSES = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src", "iframe": "src"}
LOADS = {"link", "img", "script", "source", "iframe"}  # what a browser fetches without being asked


class _Page(HTMLParser):
    """Anchors and addresses of one page."""

    def __init__(self):
        super().__init__()
        self.anchors: set[str] = set()
        self.addresses: list[tuple[str, str]] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        address = given.get(ADDRESSES.get(tag, ""))
        if address:
            self.addresses.append((tag, address))


def read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken(site: Path, scripted: dict[str, set[str]] | None = None) -> list[str]:
    """One line per link without a target, and per thing that would be fetched from another host.

    ``scripted`` names anchors that a script makes, by page: the rows of the explorer.
    """
    site = site.resolve()
    written = (path for path in sorted(site.rglob("*.html")) if path.relative_to(site).parts[0] != "_static")
    pages = {path: read(path) for path in written}  # _static holds a template of the theme
    made = {(site / name).resolve(): anchors for name, anchors in (scripted or {}).items()}
    wrong = []
    for path, page in pages.items():
        for tag, address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme in ("data", "mailto", "javascript"):
                continue
            if parts.scheme or parts.netloc:
                if tag in LOADS:
                    wrong.append(f"{path.relative_to(site)} loads {address} from another host")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            if not target.exists():
                wrong.append(f"{path.relative_to(site)} -> {address}: there is no such file")
            elif anchor and not anchor.startswith("?") and target in pages:
                if anchor not in pages[target].anchors | made.get(target, set()):
                    wrong.append(f"{path.relative_to(site)} -> {address}: there is no such anchor")
    return sorted(set(wrong))


if __name__ == "__main__":
    from experiments.site.build import check

    sys.exit(check(Path(sys.argv[1])))
