"""The page's files: how large they are, that they fit together, and that their types are right."""

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ASSETS = ROOT / "Sources" / "Page" / "Assets"
LANGUAGES = ("en", "de", "fr", "es", "nl")
SCRIPTS = sorted(path for path in ASSETS.glob("*.js") if path.stem not in LANGUAGES)
# What a browser loads before anything is chosen; each other script belongs to a screen, and is loaded when that is opened.
FIRST = ("app.js", "core.js", "store.js", "player.js", "queue.js")
KILO = 1024


def texts(language):
    """A language's texts: name to words."""
    return dict(re.findall(r"(\w+): '((?:[^'\\]|\\.)*)'", (ASSETS / f"{language}.js").read_text()))


def size(*names):
    return sum((ASSETS / name).stat().st_size for name in names)


def test_the_first_screen_is_small():
    assert size("index.html") <= 4 * KILO
    assert size("page.css") <= 16_400
    assert size("sprite.svg") <= 8 * KILO
    # The 54,649 of the first screen, and what every screen needs of playlists and the party.
    assert size(*FIRST) <= 60_000
    for language in LANGUAGES:
        assert size(f"{language}.js") <= 14 * KILO
        first = ["index.html", "page.css", "sprite.svg", f"{language}.js", *FIRST]
        assert size(*first) <= 100 * KILO, language
        packed = sum(len(gzip.compress((ASSETS / name).read_bytes(), 6)) for name in first)
        assert packed <= 40 * KILO, f"{language}: {packed}"


def test_each_other_screen_is_small():
    for path in SCRIPTS:
        if path.name not in FIRST:
            assert path.stat().st_size <= 16 * KILO, path.name
    assert sum(path.stat().st_size for path in SCRIPTS) <= 150_000


def test_no_file_names_another_host():
    for path in ASSETS.iterdir():
        words = path.read_text().replace("http://www.w3.org/2000/svg", "").replace("http://…", "")
        assert not re.search(r"https?://", words), path.name


def test_nothing_makes_markup_of_texts():
    for path in SCRIPTS:
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", path.read_text()), path.name


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_languages_have_the_same_texts(language):
    english, other = texts("en"), texts(language)
    assert set(english) == set(other)
    for name, words in english.items():
        assert set(re.findall(r"\{\w+\}", words)) == set(re.findall(r"\{\w+\}", other[name])), name
        assert words.count("|") == other[name].count("|"), name


def test_all_texts_are_there_and_used():
    source = "".join(path.read_text() for path in SCRIPTS)
    english = texts("en")
    used = set(re.findall(r"\bt\(`?'?(\w+)'", source)) | set(re.findall(r"'(\w+)'", source))
    assert set(re.findall(r"\bt\('(\w+)'", source)) <= set(english)
    families = ("is_", "check_", "kind_", "theme_", "report_", "pause_", "request_", "up_")
    assert {name for name in english if name not in used and not name.startswith(families)} == set()


def test_pictures_of_the_sprite_are_there():
    symbols = set(re.findall(r'id="(\w+)"', (ASSETS / "sprite.svg").read_text()))
    source = "".join(path.read_text() for path in SCRIPTS)
    named = set(re.findall(r"\b(?:icon|button|wide|empty|setIcon)\((?:\w+, )?'(\w+)'", source))
    assert named <= symbols


def declarations():
    """TypeScript's declarations of the API's types."""
    def kind(schema):
        if "$ref" in schema:
            return schema["$ref"].rsplit("/", 1)[1]
        if "enum" in schema:
            return " | ".join(json.dumps(word) for word in schema["enum"])
        if schema["type"] == "array":
            return f"({kind(schema['items'])})[]"
        return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}.get(schema["type"], "any")

    lines = ["declare namespace API {"]
    for name, schema in json.loads((ROOT / "Sources/Page/openapi.json").read_text())["components"]["schemas"].items():
        lines.append(f"  interface {name} {{")
        for member, what in schema["properties"].items():
            lines.append(f"    {member}{'' if member in schema.get('required', []) else '?'}: {kind(what)};")
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def test_types(tmp_path):
    (tmp_path / "api.d.ts").write_text(declarations())
    for path in ASSETS.glob("*.js"):
        shutil.copy(path, tmp_path)
    result = subprocess.run(
        ["tsc", "--allowJs", "--checkJs", "--noEmit", "--target", "es2022", "--module", "es2022", "--lib", "es2022,dom,dom.iterable",
         "--moduleResolution", "node", "api.d.ts", "app.js", "library.js", "playlists.js", "radio.js", "pins.js", "rooms.js", "party.js", "system.js", "uploads.js"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout
