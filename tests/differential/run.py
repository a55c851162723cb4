"""Plays scenarios on a real Zabbix and on Saker, and shows every difference: see README.md."""

import argparse
import concurrent.futures
import json
import pathlib
import shutil
import signal
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import compare  # noqa: E402
import recorded  # noqa: E402
from client import STOP  # noqa: E402
from harness import ROOT  # noqa: E402
from play import play  # noqa: E402
from scenarios import Refused, load  # noqa: E402
from servers import NotReady, Saker, Zabbix  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patterns", nargs="*", help="parts of the ids of scenarios, or globs; all if none")
    parser.add_argument("--record", action="store_true", help="write Zabbix's answers to recorded/")
    parser.add_argument("--only-saker", action="store_true",
                        help="start no Zabbix, compare with the recorded answers of 7.4 alone")
    parser.add_argument("--list", action="store_true", help="only say which scenarios are selected")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "target/differential",
                        help="folder for all answers and logs")
    asked = parser.parse_args()
    # Both end the servers, also where the shell had the program ignore them.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    try:
        scenarios = load(asked.patterns)
        compare.read_allowed()
        if asked.list:
            print("\n".join(it.id for it in scenarios))
            return 0
        if asked.record and asked.only_saker:
            raise Refused("--record needs Zabbix")
        servers = [Saker] if asked.only_saker else [Zabbix, Saker]
        *zabbix, saker = play_on(servers, scenarios, asked.out)
        zabbix = zabbix[0] if zabbix else {}
    except (Refused, NotReady) as error:
        print(f"differential: {error}", file=sys.stderr)
        return 2
    results = [compared(scenarios, zabbix, saker, "6.0")] if zabbix else []
    newer = recorded.read_newer()
    if newer:
        results.append(compared([it for it in scenarios if it.id in newer], newer, saker, "7.4"))
    else:
        print(f"differential: no answers of 7.4: {recorded.NEWER} is not there", file=sys.stderr)
    stale = compare.not_needed(results) if results else []
    text = "\n\n".join(
        [it.text() for it in results]
        + [f'allowed: no longer needed: "{it.scenario}", "{it.field}"' for it in stale]
    )
    write(asked.out, text, zabbix, saker)
    print(text)
    if asked.record:
        recorded.write(scenarios, zabbix, results[0])
    return 1 if stale or any(it.open for it in results) else 0


def compared(scenarios: list, zabbix: dict, saker: dict, version: str) -> compare.Result:
    found = [one for it in scenarios for one in compare.differences(it, zabbix[it.id], saker[it.id])]
    return compare.Result(scenarios, found, version)


def play_on(servers: list, scenarios: list, out: pathlib.Path) -> list[dict]:
    begun = time.monotonic()
    started = int(time.time())

    def report(text: str) -> None:
        print(f"[{time.monotonic() - begun:5.0f} s] {text}", file=sys.stderr, flush=True)

    folder = pathlib.Path(tempfile.mkdtemp(prefix="saker-differential."))
    # PostgreSQL's user goes through it.
    folder.chmod(0o711)
    report(f"{len(scenarios)} scenarios in {folder}")

    def run(make) -> dict:
        server = make(folder)
        try:
            report(f"{server.name} is ready")
            return play(server, scenarios, started, report)
        finally:
            server.end()

    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            both = [pool.submit(run, it) for it in servers]
            try:
                # The first failure is the reason; the other one only stops then.
                done, _ = concurrent.futures.wait(both, return_when="FIRST_EXCEPTION")
                for one in done:
                    one.result()
            except BaseException:
                STOP.set()
                raise
        return [it.result() for it in both]
    finally:
        out.mkdir(parents=True, exist_ok=True)
        for log in folder.glob("*.log"):
            shutil.copy(log, out)
        shutil.rmtree(folder)


def write(out: pathlib.Path, differences: str, zabbix: dict, saker: dict) -> None:
    for name, seen in (("zabbix", zabbix), ("saker", saker)):
        text = json.dumps(seen, ensure_ascii=False, indent=1, sort_keys=True)
        (out / f"{name}.json").write_text(text + "\n")
    (out / "differences.txt").write_text(differences + "\n")


if __name__ == "__main__":
    sys.exit(main())
