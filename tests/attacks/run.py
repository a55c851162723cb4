"""Attacks a server of its own, one after the other, and prints what they took: see README.md."""

import argparse
import pathlib
import resource
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import attacks  # noqa: E402
from attacks import ATTACKS, FILES_MAX, FLAGS, SECURE  # noqa: E402
from world import Outcome, World  # noqa: E402

# Limits of the server.
RSS_MB, WAIT_S = 400, 2
# Our own connections and the server's.
FILES = 16_384


def play(attack) -> Outcome:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with tempfile.TemporaryDirectory(prefix="saker-attack-") as folder:
        files = FILES_MAX.get(attack, FILES)
        # The server inherits it; afterwards we have more for ourselves.
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(files, limits[1]), limits[1]))
        try:
            world = World(pathlib.Path(folder), *FLAGS.get(attack, ()), is_secure=attack in SECURE)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, limits[1]), limits[1]))
        threads = world.watch()
        try:
            attack(world)
        except (OSError, RuntimeError, ValueError) as error:
            world.outcome.wrong.append(f"the attack: {error}"[:200])
        finally:
            outcome = world.end(threads)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="attacks; all if none")
    parser.add_argument("--slack", type=float, default=1, help="limits are so many times larger")
    parser.add_argument("--hold", type=float, default=attacks.HOLD_S, help="seconds for which connections are held")
    asked = parser.parse_args()
    attacks.HOLD_S = asked.hold
    known = {it.__name__: it for it in ATTACKS}
    if unknown := set(asked.names) - set(known):
        parser.error(f"no attack {', '.join(unknown)}; there are {', '.join(known)}")
    n_missed = 0
    print(f"{'attack':20} {'RSS':>7} {'host.get':>9} {'login':>7} {'value':>7} {'stop':>7}", flush=True)
    for name in asked.names or known:
        outcome = play(known[name])
        waits = outcome.waits
        missed = outcome.misses(RSS_MB * asked.slack, WAIT_S * asked.slack)
        n_missed += bool(missed)
        print(f"{name:20} {outcome.rss_mb:4.0f} MB {waits['host.get']:7.2f} s {waits['user.login']:5.2f} s "
              f"{waits['value']:5.2f} s {outcome.stop_s:5.2f} s  {'MISSED: ' + '; '.join(missed) if missed else 'ok'}  {outcome.note}",
              flush=True)
    return 1 if n_missed else 0


if __name__ == "__main__":
    sys.exit(main())
