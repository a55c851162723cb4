"""Answers of the real server, kept in recorded/: a file for each file of scenarios."""

import json
import pathlib

from compare import Result
from scenarios import Scenario

FOLDER = pathlib.Path(__file__).resolve().parent / "recorded"
# The responses of a real 7.4 to all scenarios, waiting ones too. The file is kept outside the
# project.
NEWER = pathlib.Path(__file__).resolve().parents[3] / "shared/zabbix74/differential.json"


def read() -> dict[str, dict]:
    """What Zabbix made of each scenario, by id."""
    return {
        f"{path.parent.name}/{path.stem}/{name}": seen
        for path in sorted(FOLDER.glob("*/*.json"))
        for name, seen in json.loads(path.read_text()).items()
    }


def read_newer() -> dict[str, dict]:
    """What Zabbix 7.4 made of each scenario, by id; nothing where its answers are not at hand."""
    return json.loads(NEWER.read_text()) if NEWER.is_file() else {}


def write(scenarios: list[Scenario], zabbix: dict, result: Result) -> None:
    """Replaces the answers of these scenarios, of those that may be recorded and have no open
    difference: what is kept must pass."""
    kept = read()
    classes = result.classes()
    for one in scenarios:
        kept.pop(one.id, None)
        if one.is_recorded and classes[one.id] != "open":
            kept[one.id] = zabbix[one.id]
    files: dict[pathlib.Path, dict] = {path: {} for path in FOLDER.glob("*/*.json")}
    for key in sorted(kept):
        folder, file, name = key.split("/", 2)
        files.setdefault(FOLDER / folder / f"{file}.json", {})[name] = kept[key]
    for path, answers in files.items():
        if not answers:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(answers, ensure_ascii=False, indent=1, sort_keys=True)
        path.write_text(text + "\n")
