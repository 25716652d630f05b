"""doc_reference.py - collects the documentation of every public class: doxygen finds classes and
members, comments are read from the source, and the compiler decides which of the verbs of
core/keyed.hpp a class has.

A member is documented by the comment above it or after it, by the comment of an overload, a batch
or a `try_` form next to it, or because it is the same in every class (SAID_ONCE).
"""

import pathlib
import re
import subprocess
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
SPACES = ("umbel", "umbel::net", "umbel::recon", "umbel::any", "umbel::codec")
FOLDERS = ("set", "map", "recon", "net", "any", "codec", "hash", "core", "base", "engine")
# Internals of the library in namespaces that users see.
ASIDE = (
    "any/adapt.hpp",
    "any/measure.hpp",
    "any/bench.hpp",
    "core/can.hpp",
    "base/buffer.hpp",
    "codec/reader.hpp",
    "codec/writer.hpp",
    "codec/source.hpp",
    "codec/envelope.hpp",
    "codec/atomic_file.hpp",
    "codec/foreign/parts.hpp",
)

# Members of every structure, documented here instead of in seventy headers.
SAID_ONCE = {
    "kind": "The name of this kind in files and for the tool.",
    "format_version": "The version of this kind's file format; a reader refuses any other.",
    "traits": "What this kind can do: see traits.",
    "options_type": "The options this is built by.",
    "engine_type": "The structure behind the verbs, which knows digests only.",
    "plan": "Cells, probes, bits and the predicted rate that these options lead to, without building.",
    "build": "The structure of all keys of a range, or of a spool.",
    "describe": "Lists the parts for codec/: not for users.",
    "fields": "Lists the numbers of a part for codec/: not for users.",
    "check": "Throws `corrupt` if a loaded object is not sound; load and open call it.",
    "hash": "The hash of keys: its name, and its seed or secret key.",
    "engine": "The structure behind the verbs, which knows digests only.",
    "keys": "The number of keys.",
    "fpr": "The rate of false positives.",
    "bits": "The size in bits.",
    "value_bits": "The width of a value in bits.",
    "memory": "Where memory is taken from; nullptr: new and delete.",
    "threads": "How many threads may work at once.",
    "size_in_bits": "The bits of the structure in memory.",
    "expected_fpr": "The rate of false positives as the structure stands.",
}

# Verbs that the compiler checks: an expression of a structure t, another c, a key k and keys ks.
VERBS = {
    "may_contain": "t.may_contain(k)",
    "may_contain_batch": "t.may_contain_batch(ks, std::span<bool>{})",
    "contains": "t.contains(k)",
    "contains_batch": "t.contains_batch(ks, std::span<bool>{})",
    "count": "t.count(k)",
    "find": "t.find(k)",
    "find_batch": "t.find_batch(ks, std::span<std::optional<std::uint64_t>>{})",
    "value": "t.value(k)",
    "value_batch": "t.value_batch(ks, std::span<std::uint64_t>{})",
    "index": "t.index(k)",
    "index_batch": "t.index_batch(ks, std::span<std::uint64_t>{})",
    "insert": "t.insert(k)",
    "try_insert": "t.try_insert(k)",
    "insert_batch": "t.insert_batch(ks)",
    "erase": "t.erase(k)",
    "try_erase": "t.try_erase(k)",
    "erase_batch": "t.erase_batch(ks)",
    "clear": "t.clear()",
    "merge": "t.merge(c)",
    "intersect": "t.intersect(c)",
    "fold": "t.fold()",
    "expected_fpr": "t.expected_fpr()",
    "keys": "t.keys()",
    "value_bits": "t.value_bits()",
    "probes": "t.probes()",
    "fill": "t.fill()",
    "cardinality": "t.cardinality()",
    "overlap_with": "t.overlap_with(c)",
}


class member:
    def __init__(self, node, owner):
        words = lambda tag: (
            re.sub(r"\s+", " ", "".join(node.find(tag).itertext())).strip()
            if node.find(tag) is not None
            else ""
        )
        self.owner, self.kind, self.name = owner, node.get("kind"), words("name")
        place = node.find("location")
        self.file, self.line = pathlib.Path(place.get("declfile") or place.get("file")), int(
            place.get("declline") or place.get("line")
        )
        self.type, self.arguments, self.requires = (
            words("type"),
            words("argsstring"),
            words("requiresclause"),
        )
        self.initial = words("initializer") if self.kind == "variable" else ""
        if self.kind == "enum":
            self.arguments = (
                " { " + ", ".join(v.findtext("name") for v in node.iter("enumvalue")) + " }"
            )
        self.words = {"typedef": "using ", "enum": "enum "}.get(self.kind, "")
        if self.kind == "typedef":
            self.signature = f"using {self.name} = {self.type}"
        else:
            self.signature = re.sub(
                r"\s+",
                " ",
                f"{self.words}{self.type + ' ' if self.kind != 'enum' else ''}{self.name}"
                f"{self.arguments} {self.initial}",
            ).strip()
        self.signature = re.sub(
            r" ([&*]+) ?", r"\1 ", self.signature.replace("< ", "<").replace(" >", ">")
        )
        self.text = comment_of(self.file, self.line, self.name if self.kind == "function" else "")
        self.said_once = not self.text and SAID_ONCE.get(self.name, "")

    def where(self):
        return f"{self.file.relative_to(ROOT)}:{self.line}"


_lines = {}


def lines_of(path):
    if path not in _lines:
        _lines[path] = path.read_text().splitlines()
    return _lines[path]


def comment_of(path, line, name=""):
    """The comment of what is declared in this line; for a function also that of an overload, a batch or a `try_` form
    that it stands with. Nothing if there is none."""
    lines = lines_of(path)
    text = lines[line - 1]
    indent = len(text) - len(text.lstrip())
    trailing = re.search(r"[;{},)]\s*// (.*)$", text)
    if trailing:
        return trailing[1]
    root = name.removeprefix("try_").removesuffix("_batch")
    kin = re.compile(rf"\b(try_)?{re.escape(root)}(_batch)?\(")
    above, crossed, between = [], False, []
    for text in reversed(lines[: line - 1]):
        bare, depth = text.strip(), len(text) - len(text.lstrip())
        if above and not bare.startswith("//"):
            break
        if (
            bare.startswith("// ----")
            or not bare
            or bare.startswith(("public:", "private:", "protected:", "namespace", "#"))
        ):
            break
        if depth > indent:
            continue  # a body, or a declaration that continues
        if bare.startswith("//"):
            above.append(bare[2:].strip())
        elif depth < indent:
            break
        else:
            crossed = crossed or bare.endswith((";", "}"))
            between.append(bare)
    first = ""  # the declaration right below the comment
    for each in reversed(between):
        first += f" {each}"
        if each.endswith((";", "{", "}")):
            break
    if crossed and not (root and kin.search(first)):
        return ""
    return " ".join(reversed(above))


class structure:
    """A public class, or a public name of one."""

    def __init__(self, name, space, path, line, template, bases, own, target=""):
        self.name, self.space, self.file, self.line, self.template = (
            name,
            space,
            path,
            line,
            template,
        )
        self.bases, self.own, self.target = bases, own, target
        self.text = comment_of(path, line)
        self.members = []
        self.verbs = None  # names of VERBS that it has, if the compiler was run

    def full(self):
        return f"{self.space}::{self.name}"

    def page(self):
        return self.full().removeprefix("umbel::").replace("::", ".") + ".html"

    def header(self):
        return self.file.relative_to(INCLUDE).as_posix()

    def is_main(self):
        return self.file.stem in (
            self.name,
            f"basic_{self.name}",
            self.name.removeprefix("concurrent_"),
        )

    def opening(self):
        """The opening comment of its header, as paragraphs of a title and a text."""
        out = []
        for text in lines_of(self.file):
            if text.startswith("// SPDX-"):
                continue
            if not text.startswith("//"):
                break
            text = text[2:].rstrip()
            titled = re.match(r" ([A-Z]\w*(?: \w+)?)  +(\S.*)", text)
            if not out:
                out.append(["", re.sub(r"^ \S+ - ", "", text)])
            elif titled:
                out.append([titled[1], titled[2]])
            elif not text.strip():
                out.append(["", ""])
            else:
                out[-1][1] += " " + text.strip()
        return [(title, text.strip()) for title, text in out if text.strip()]


def run_doxygen(folder):
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "INPUT": INCLUDE / "umbel",
        "FILE_PATTERNS": "*.hpp",
        "RECURSIVE": "YES",
        "OUTPUT_DIRECTORY": folder,
        "GENERATE_LATEX": "NO",
        "GENERATE_HTML": "NO",
        "GENERATE_XML": "YES",
        "XML_PROGRAMLISTING": "NO",
        "EXTRACT_ALL": "YES",
        "QUIET": "YES",
        "WARNINGS": "NO",
        "HAVE_DOT": "NO",
        "MACRO_EXPANSION": "YES",
        "EXPAND_ONLY_PREDEF": "YES",
        "PREDEFINED": "UMBEL_COMPILED UMBEL_INLINE= UMBEL_FLAT=",
        "EXCLUDE_PATTERNS": "*/kernel/*",
    }
    text = "".join(f"{name} = {value}\n" for name, value in settings.items())
    subprocess.run(
        ["doxygen", "-"],
        input=text,
        text=True,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    return folder / "xml"


def is_public(space, path):
    header = path.relative_to(INCLUDE / "umbel").as_posix()
    return space in SPACES and header.split("/")[0] in FOLDERS and header not in ASIDE


def read(folder):
    """All public structures, by full name, and all public functions."""
    compounds, spaces = {}, []
    for path in sorted(run_doxygen(folder).glob("*.xml")):
        if path.name.startswith(("class", "struct")):
            node = xml.parse(path).getroot().find("compounddef")
            compounds[node.get("id")] = node
        elif path.name.startswith("namespace"):
            spaces.append(xml.parse(path).getroot().find("compounddef"))

    def own_of(node):
        found = [
            member(each, node.get("id"))
            for section in node.findall("sectiondef")
            for each in section.findall("memberdef")
            if each.get("prot") == "public" and each.get("kind") != "friend"
        ]
        name = node.findtext("compoundname").split("::")[-1]
        return sorted(
            (
                each
                for each in found
                if each.name not in (name, f"~{name}")
                and not each.name.startswith("operator")
                and "=delete" not in each.arguments
                and not re.match(
                    r"\s*(using|friend) \w+::|\s*\w+::\w+[,;]", lines_of(each.file)[each.line - 1]
                )
            ),
            key=lambda each: each.line,
        )

    def members_of(identity, hidden=()):
        node = compounds.get(identity)
        if node is None or not node.find("location").get("file", "").startswith(str(INCLUDE)):
            return []
        own = [each for each in own_of(node) if each.name not in hidden]
        names = set(hidden) | {each.name for each in own}
        for base in node.findall("basecompoundref"):
            if base.get("prot") == "public" and base.get("refid"):
                own += members_of(base.get("refid"), names)
        return own

    functions = []
    for node in spaces:
        for each in node.iter("memberdef"):
            if each.get("kind") == "function" and not each.findtext("name").startswith("operator"):
                found = member(each, node.findtext("compoundname"))
                if is_public(found.owner, found.file):
                    functions.append(found)
    functions.sort(key=lambda each: (each.owner, each.name, each.line))
    out = {}
    for identity, node in compounds.items():
        full = node.findtext("compoundname")
        space, _, name = full.rpartition("::")
        place = node.find("location")
        path = pathlib.Path(place.get("file"))
        if (
            "<" in name
            or name.startswith("basic_")
            or not is_public(space, path)
            or node.get("prot", "public") != "public"
        ):
            continue
        bases = ["".join(base.itertext()) for base in node.findall("basecompoundref")]
        each = structure(
            name,
            space,
            path,
            int(place.get("line")),
            node.find("templateparamlist") is not None,
            bases,
            identity,
        )
        each.members = members_of(identity)
        out[full] = each
    for node in spaces:
        space = node.findtext("compoundname")
        for alias in (each for each in node.iter("memberdef") if each.get("kind") == "typedef"):
            place, target = alias.find("location"), alias.find("type/ref[@kindref='compound']")
            path = pathlib.Path(place.get("file"))
            if (
                target is None
                or not is_public(space, path)
                or alias.find("templateparamlist") is not None
            ):
                continue
            kind = re.sub(r"\s+", " ", "".join(alias.find("type").itertext())).strip()
            if kind.startswith(("std::", "typename")) or target.get("refid") not in compounds:
                continue
            each = structure(
                alias.findtext("name"),
                space,
                path,
                int(place.get("line")),
                False,
                [],
                target.get("refid"),
                kind,
            )
            each.members = members_of(target.get("refid"))
            out[each.full()] = each
    ask_for_verbs(
        [
            each
            for each in out.values()
            if not each.template and any(m.name in VERBS and m.requires for m in each.members)
        ],
        folder,
    )
    for each in out.values():
        if each.verbs is not None:
            each.members = [
                m
                for m in each.members
                if m.name not in VERBS or not m.requires or m.name in each.verbs
            ]
    return out, functions


def ask_for_verbs(structures, folder):
    """Sets verbs of each, as the compiler sees them."""
    text = ["#include <iostream>", "#include <vector>", "#include <umbel/umbel.hpp>"]
    text += sorted({f"#include <{each.header()}>" for each in structures})
    for verb, expression in VERBS.items():
        text.append(
            f"template <class T> constexpr bool has_{verb} = requires(T& t, const T& c, const std::string_view& k, "
            f"const std::vector<std::uint64_t>& ks) {{ {expression}; }};"
        )
    text.append("int main() {")
    for each in structures:
        asked = " << ".join(f"has_{verb}<{each.full()}>" for verb in VERBS)
        text.append(f"  std::cout << {asked} << '\\n';")
    text.append("}")
    (folder / "verbs.cpp").write_text("\n".join(text) + "\n")
    subprocess.run(
        [
            "g++",
            "-std=c++20",
            "-O0",
            "-DUMBEL_COMPILED",
            f"-I{INCLUDE}",
            folder / "verbs.cpp",
            "-o",
            folder / "verbs",
        ],
        check=True,
    )
    said = subprocess.run(
        [folder / "verbs"], check=True, capture_output=True, text=True
    ).stdout.split()
    assert len(said) == len(structures)
    for each, line in zip(structures, said):
        each.verbs = {verb for verb, has in zip(VERBS, line) if has == "1"}


def undocumented(structures, functions):
    """Names of classes, of their members and of functions that no comment speaks of, each with its
    place."""
    out = {
        f"{each.owner}::{each.name}": each.where()
        for each in functions
        if not (each.text or each.said_once)
    }
    options = {
        m.type for each in structures.values() for m in each.members if m.name == "options_type"
    }
    for full, each in structures.items():
        if not (
            each.text
            or each.is_main()
            and each.opening()
            or each.name in options
            or each.name.endswith("_options")
            or each.target
        ):
            out[full] = f"{each.file.relative_to(ROOT)}:{each.line}"
        for m in each.members:
            if not (m.text or m.said_once):
                owner = (
                    re.sub(r"^(class|struct)", "", m.owner).replace("_1_1", "::").replace("__", "_")
                )
                out[f"{owner}::{m.name}"] = m.where()
    return out
