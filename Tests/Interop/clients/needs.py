"""Prints the Python packages that integrations of the installed Home Assistant, and those that they need, ask for.

Home Assistant would install them itself as they are first used; the tests run where nothing can be fetched.
"""

import ast
import importlib.util
import json
from pathlib import Path

HOME = Path(importlib.util.find_spec("homeassistant").submodule_search_locations[0])


def always():
    """Those that it always starts. Read, not imported: what that needs isn't there yet."""
    for node in ast.parse((HOME / "bootstrap.py").read_text()).body:
        names = [target.id for target in getattr(node, "targets", []) if isinstance(target, ast.Name)]
        if names and names[0] in ("CORE_INTEGRATIONS", "DEFAULT_INTEGRATIONS"):
            yield from (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))


todo, done, needed = [*always(), "recorder", "ssdp", "media_source", "dlna_dmr", "openhome", "sonos"], set(), set()
while todo:
    name = todo.pop()
    if name in done:
        continue
    done.add(name)
    manifest = json.loads((HOME / "components" / name / "manifest.json").read_text())
    needed.update(manifest.get("requirements", []))
    todo += manifest.get("dependencies", [])
    if name == "sonos":  # it imports those that it only wants to start after
        todo += manifest.get("after_dependencies", [])
print("\n".join(sorted(needed)))
