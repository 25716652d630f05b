#!/usr/bin/env python3
"""doc.py - makes the site of `make doc`: every document of the repository as a page, and a
reference of all public classes from the headers (tools/doc_reference.py). cmark-gfm renders the
Markdown.

    tools/doc.py [FOLDER]            writes the site into FOLDER (build/doc); fails if it has a dead
                                     link
    tools/doc.py --undocumented      lists public names without a comment, with their places

Names in doc/undocumented.txt may lack a comment for now. Any other name without one is an error,
and so is a name on the list that has one.
"""

import concurrent.futures
import html
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
import doc_reference

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTED = ROOT / "doc/undocumented.txt"
STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --code: #f6f8fa; --link: #0969da }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --code: #161b22; --link: #4493f8 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 52rem; margin: 0 auto; padding: 0 1rem 4rem }
@media (prefers-color-scheme: dark) { body { background: #0d1117 } }
nav { display: flex; flex-wrap: wrap; gap: 0 1.2rem; padding: .8rem 0; border-bottom: 1px solid var(--line) }
a { color: var(--link) } h1, h2, h3 { line-height: 1.25 } h3 { font-size: 1rem }
code, pre { font-family: ui-monospace, monospace; font-size: .86em; background: var(--code) }
code { padding: .1em .25em; overflow-wrap: anywhere } pre { padding: .8rem; overflow-x: auto } pre code { padding: 0 }
table { border-collapse: collapse; display: block; overflow-x: auto } td, th { border: 1px solid var(--line); padding: .3em .6em }
img { max-width: 100%; width: 30rem } .member { margin: 1rem 0 } .member p { margin: .2rem 0 0 1rem }
.faint { color: var(--faint) }
"""


def slug(heading):
    """The fragment that a heading has where the documents are read on a code host."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]+>", "", html.unescape(heading)).lower()).replace(
        " ", "-"
    )


class site:
    def __init__(self, folder):
        self.folder, self.pages, self.sources = folder, {}, set()

    def write(self, name, title, body):
        up = "../" * name.count("/")
        links = [
            ("index.html", "umbel"),
            ("doc/guide/index.html", "Guide"),
            ("reference/index.html", "Reference"),
            ("doc/format.html", "File format"),
            ("doc/hacking.html", "Hacking"),
        ]
        nav = "".join(f'<a href="{up}{to}">{words}</a>' for to, words in links)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'<!doctype html>\n<html lang="en"><meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<title>{html.escape(title)}</title>\n<link rel="stylesheet" href="{up}style.css">\n'
            f"<nav>{nav}</nav>\n{body}\n</html>\n"
        )

    def page_of(self, source):
        """Where a file of the repository is on the site."""
        if source == "README.md":
            return "index.html"
        if source.endswith(".md"):
            return source[:-3] + ".html"
        if source.endswith((".svg", ".png")):
            return source
        return f"source/{source}.html"

    def target(self, page, link):
        """A link of a document, as a link of its page; files that are no documents become pages,
        too."""
        path, _, fragment = link.partition("#")
        if not path or re.match(r"[a-z]+:", link):
            return link
        source = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(path)))
        if not source.endswith(".md"):
            self.sources.add(source)
        here, there = self.page_of(page), self.page_of(source)
        return os.path.relpath(there, os.path.dirname(here) or ".") + (
            f"#{fragment}" if fragment else ""
        )

    def document(self, source, reference):
        text = (ROOT / source).read_text()
        body = subprocess.run(
            ["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink"],
            input=text,
            text=True,
            capture_output=True,
            check=True,
        ).stdout
        taken = {}

        def heading(found):
            name = slug(found[2])
            taken[name] = taken.get(name, -1) + 1
            return f'<h{found[1]} id="{name}{f"-{taken[name]}" if taken[name] else ""}">{found[2]}</h{found[1]}>'

        body = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.DOTALL)
        body = re.sub(
            r'(href|src)="([^"]*)"',
            lambda found: f'{found[1]}="{self.target(source, html.unescape(found[2]))}"',
            body,
        )
        up = "../" * self.page_of(source).count("/")
        body = re.sub(
            r"<code>#include &lt;(umbel/[^&]*)&gt;</code>",
            lambda found: (
                f'<a href="{up}reference/{reference[found[1]]}">{found[0]}</a>'
                if found[1] in reference
                else found[0]
            ),
            body,
        )
        title = re.search(r"^# (.*)", text, re.MULTILINE)
        self.write(self.page_of(source), title[1] if title else source, body)

    def source_pages(self):
        for source in sorted(self.sources):
            path = ROOT / source
            if source.endswith((".svg", ".png")):
                (self.folder / source).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, self.folder / source)
            elif path.is_dir():
                names = sorted(
                    each.name + "/" * each.is_dir()
                    for each in path.iterdir()
                    if each.name[0] not in "._"
                )
                self.write(
                    self.page_of(source),
                    source,
                    f"<h1>{source}</h1><pre>{html.escape(chr(10).join(names))}</pre>",
                )
            elif path.is_file():
                self.write(
                    self.page_of(source),
                    source,
                    f"<h1>{source}</h1><pre>{html.escape(path.read_text())}</pre>",
                )
            # else there is no page, and the link is reported as dead


def words(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def member_entry(each):
    said = each.text or each.said_once
    condition = (
        f' <span class="faint">where {html.escape(each.requires)}</span>'
        if each.requires and not each.requires.startswith("can::")
        else ""
    )
    return (
        f'<div class="member"><code>{html.escape(each.signature, quote=False)}</code>{condition}'
        f'{f"<p>{words(said)}</p>" if said else ""}</div>'
    )


def reference_page(each, by_name):
    body = [f"<h1>{each.full()}</h1>", f"<p><code>#include &lt;{each.header()}&gt;</code></p>"]
    if each.target:
        body.append(f"<p><code>using {each.name} = {html.escape(each.target)};</code></p>")
    if each.text:
        body.append(f"<p>{words(each.text)}</p>")
    if each.is_main():
        for title, text in each.opening():
            body.append(f"<p>{f'<b>{title}.</b> ' if title else ''}{words(text)}</p>")
    options = next((m for m in each.members if m.name == "options_type"), None)
    taken = options and by_name.get(f"{each.space}::{options.type}")
    if (
        not taken and options and options.type == "Options"
    ):  # for an alias: its template argument
        taken = next(
            (
                by_name[f"umbel::{name}"]
                for name in re.findall(r"\w+", each.target)
                if f"umbel::{name}" in by_name
            ),
            None,
        )
    if taken:
        body.append(
            f'<h2>Options</h2><p>The members of <a href="{taken.page()}">{taken.name}</a>:</p>'
        )
        body += [member_entry(m) for m in taken.members if m.kind == "variable"]
    for title, wanted in (
        ("Members", lambda m: m.name not in doc_reference.SAID_ONCE),
        ("As everywhere", lambda m: m.name in doc_reference.SAID_ONCE),
    ):
        if found := [m for m in each.members if wanted(m)]:
            body.append(f"<h2>{title}</h2>")
            body += [member_entry(m) for m in found]
    return "\n".join(body)


def write_reference(out, structures, functions):
    rows = {}
    for each in structures.values():
        rows.setdefault(each.header().split("/")[1], []).append(each)
        out.write(f"reference/{each.page()}", each.full(), reference_page(each, structures))
    titles = {
        "set": "Sets",
        "map": "Maps and perfect hashes",
        "net": "Networks",
        "recon": "Two parties",
        "any": "Any kind, by name",
        "codec": "Files",
        "hash": "Hashes and keys",
        "core": "Plans, traits, estimates, spools",
        "base": "Errors",
    }
    body = [
        "<h1>Reference</h1>",
        "<p>Every public class, from the comments of its header.</p>",
        '<p>Functions, such as <code>save</code> and <code>open</code>, are on <a href="functions.html">one page</a>.</p>',
    ]
    for folder in list(titles) + sorted(set(rows) - set(titles)):
        if folder in rows:
            links = [
                f'<li><a href="{each.page()}">{each.full().removeprefix("umbel::")}</a></li>'
                for each in sorted(rows[folder], key=lambda each: each.name)
            ]
            body.append(f"<h2>{titles.get(folder, 'Others')}</h2><ul>{''.join(links)}</ul>")
    out.write("reference/index.html", "Reference", "\n".join(body))
    body = ["<h1>Functions</h1>"]
    for space in sorted({each.owner for each in functions}):
        body.append(f"<h2>In {space}</h2>")
        body += [
            f'{member_entry(each)}<p class="faint">&lt;{each.file.relative_to(doc_reference.INCLUDE)}&gt;</p>'
            for each in functions
            if each.owner == space
        ]
    out.write("reference/functions.html", "Functions", "\n".join(body))


class links_of(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.names.add(value)
            elif name in ("href", "src"):
                self.links.append(value)


def dead_links(folder):
    pages = {path: links_of(path.read_text()) for path in folder.rglob("*.html")}
    out = []
    for path, page in sorted(pages.items()):
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            to, _, fragment = link.partition("#")
            there = (path.parent / urllib.parse.unquote(to)).resolve() if to else path
            if (
                not there.is_file()
                or fragment
                and urllib.parse.unquote(fragment) not in pages[there].names
            ):
                out.append(f"{path.relative_to(folder)}: dead link {link}")
    return out


def main():
    with tempfile.TemporaryDirectory() as parts:
        structures, functions = doc_reference.read(pathlib.Path(parts))
    missing = doc_reference.undocumented(structures, functions)
    if sys.argv[1:] == ["--undocumented"]:
        print("\n".join(sorted(f"{place}: {name}" for name, place in missing.items())))
        return
    if len(sys.argv) > 2 or any(word.startswith("-") for word in sys.argv[1:]):
        sys.exit(__doc__)
    folder = (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/doc").resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    listed = set(LISTED.read_text().split("\n")) - {""}
    errors = [f"{missing[name]}: {name} has no comment" for name in sorted(set(missing) - listed)]
    errors += [
        f"doc/undocumented.txt: {name} has a comment now, or is no more: take it off"
        for name in sorted(listed - set(missing))
    ]
    out = site(folder)
    (folder / "style.css").write_text(STYLE)
    first = {}  # the class named like the header, or the first in it
    for each in structures.values():
        if each.is_main() or each.header() not in first:
            first[each.header()] = each.page()
    documents = [
        "README.md",
        *sorted(
            path.relative_to(ROOT).as_posix()
            for path in [*ROOT.glob("[A-Z]*.md"), *ROOT.glob("doc/**/*.md")]
            if path.name != "README.md"
        ),
        "changes/README.md",
    ]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda source: out.document(source, first), documents))
    write_reference(out, structures, functions)
    out.source_pages()
    errors += dead_links(folder)
    if errors:
        sys.exit("\n".join(errors))
    print(
        f"{folder}: {len(list(folder.rglob('*.html')))} pages, {len(structures)} classes, {len(listed)} names still to be documented"
    )


if __name__ == "__main__":
    main()
