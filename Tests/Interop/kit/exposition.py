"""Prometheus' text format (version 0.0.4), read as strictly as it is described.

https://prometheus.io/docs/instrumenting/exposition_formats/; `lint` adds what https://prometheus.io/docs/practices/naming/
asks of names. What Prometheus itself would let pass (two spaces, a metric whose lines are apart) is refused here.
"""

import math
import re
from dataclasses import dataclass, field

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)(?: (-?\d+))?")
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN")
KINDS = ("counter", "gauge", "histogram", "summary", "untyped")
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}


class Malformed(AssertionError):
    """The page isn't what Prometheus reads."""


@dataclass
class Family:
    name: str
    kind: str = "untyped"
    help: str | None = None
    samples: dict = field(default_factory=dict)


def refuse(condition, line, why):
    if condition:
        raise Malformed(f"{why}: {line!r}")


def number(text, line):
    refuse(not NUMBER.fullmatch(text), line, "not a number")
    return float(text.replace("Inf", "inf"))


def labels_of(text, line):
    labels, place = {}, 0
    while place < len(text):
        found = LABEL.match(text, place)
        refuse(found is None, line, "not a label")
        name, value = found.groups()
        refuse(name in labels, line, f"the label {name} is there twice")
        labels[name] = re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], value)
        place = found.end()
        if place < len(text):
            refuse(text[place] != "," or place + 1 == len(text), line, "not a list of labels")
            place += 1
    return labels


def parse(text):
    """Families by name. A sample's key is its name and its labels, sorted."""
    if not text.endswith("\n"):
        raise Malformed("the last line doesn't end")
    families, current = {}, None

    def begin(name, line):
        nonlocal current
        if current is None or current.name != name:
            refuse(name in families, line, "the lines of a metric aren't together")
            current = families[name] = Family(name)

    for line in text[:-1].split("\n"):
        if line.startswith("# HELP ") or line.startswith("# TYPE "):
            what, name, rest = line[2:6], *(line[7:].split(" ", 1) + [""])[:2]
            refuse(not re.fullmatch(NAME, name), line, "not a name")
            begin(name, line)
            refuse(current.samples, line, f"{what} behind the samples")
            if what == "HELP":
                refuse(current.help is not None, line, "a second HELP")
                refuse(re.search(r"\\(?![\\n])", rest.replace("\\\\", "")), line, "not an escape")
                current.help = rest
            else:
                refuse(current.kind != "untyped", line, "a second TYPE")
                refuse(rest not in KINDS, line, "not a kind")
                current.kind = rest
            continue
        refuse(line == "" or line.startswith("#"), line, "not a line of ours")
        found = SAMPLE.fullmatch(line)
        refuse(found is None, line, "not a sample")
        name, labels = found[1], labels_of(found[2] or "", line)
        refuse(found[2] == "", line, "an empty list of labels")
        if current is None or not belongs(name, current):
            begin(name, line)
        key = (name, tuple(sorted(labels.items())))
        refuse(key in current.samples, line, "the sample is there twice")
        current.samples[key] = number(found[3], line)
    for family in families.values():
        check(family)
    return families


def belongs(name, family):
    return name in [family.name + suffix for suffix in SUFFIXES.get(family.kind, ("",))]


def check(family):
    """What the kind of a metric demands of its samples."""
    refuse(not family.samples, family.name, "no samples")
    if family.kind == "counter":
        for key, value in family.samples.items():
            refuse(not value >= 0 or math.isinf(value), key, "not a count")
    if family.kind == "histogram":
        groups = {}
        for (name, labels), value in family.samples.items():
            bare = tuple(pair for pair in labels if pair[0] != "le")
            part = name[len(family.name):]
            refuse((part == "_bucket") != (len(bare) < len(labels)), name, "`le` is for buckets")
            group = groups.setdefault(bare, {"_bucket": []})
            if part == "_bucket":
                group[part].append((number(dict(labels)["le"], name), value))
            else:
                group[part] = value
        for bare, group in groups.items():
            refuse(not group["_bucket"] or len(group) < 3, bare, "parts of the histogram are missing")
            bounds, counts = zip(*group["_bucket"])
            refuse(list(bounds) != sorted(set(bounds)), bounds, "bounds don't rise")
            refuse(list(counts) != sorted(counts), counts, "buckets aren't cumulative")
            refuse(bounds[-1] != math.inf or counts[-1] != group["_count"], bare, "the last bucket isn't everything")


def lint(families):
    """What `promtool check metrics` would complain of."""
    for family in families.values():
        name = family.name
        refuse(not family.help, name, "no help")
        refuse(family.kind == "untyped", name, "no type")
        refuse((family.kind == "counter") != name.endswith("_total"), name, "_total is for counters, and for all of them")
        refuse(re.search(r"_(milliseconds|ms|minutes|hours|kilobytes|percent)(_|$)", name), name, "not a base unit")
        refuse(name.endswith(("_sum", "_count", "_bucket")), name, "a suffix of histograms")
        refuse(name != name.lower() or ":" in name, name, "not snake case")


def values(families):
    """`name{label="value"}` to its value, labels sorted by name."""
    found = {}
    for family in families.values():
        for (name, labels), value in family.samples.items():
            text = ",".join(f'{label}="{content}"' for label, content in labels)
            found[f"{name}{{{text}}}" if text else name] = value
    return found
