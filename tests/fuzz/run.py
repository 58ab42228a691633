"""Feed the tool many broken inputs, and say what it did with them.

    python tests/fuzz/run.py --inputs 20000 --seed 1 [--jobs 2] [--corpus DIR] [--keep DIR]

Each input is made from a sound one by mutations that know its format; the same seed makes
the same inputs. An input is a find where the tool crashes, takes more than 10 seconds or
2 GiB, prints a traceback, calls itself faulty, ends in an exit code with another meaning, or
writes an output that is not valid. Finds are printed and kept; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.pool import Outcome, outcomes
from fuzz.seeds import of_folder, own
from fuzz.target import made


def main() -> int:
    """Run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--corpus", type=Path, help="a folder of files to start from, too")
    parser.add_argument("--kind", help="only inputs of this kind")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-finds"))
    options = parser.parse_args()
    seeds = own() + (of_folder(options.corpus) if options.corpus else [])
    seeds = [one for one in seeds if options.kind in (None, one.kind)]
    began = time.monotonic()
    numbers = range(options.first, options.first + options.inputs)
    tally: Counter[tuple[str, str]] = Counter()
    slowest = largest = 0.0
    for one in outcomes(seeds, options.seed, numbers, options.jobs):
        tally[one.kind, "FIND" if one.problems else f"exit {one.code}"] += 1
        slowest, largest = max(slowest, one.seconds), max(largest, one.memory)
        if sum(tally.values()) % 1000 == 0:
            print(f"{sum(tally.values())} inputs", file=sys.stderr, flush=True)
        if one.problems:
            _keep(one, seeds, options.seed, options.keep)
    for (kind, ended), count in sorted(tally.items()):
        print(f"{kind:<14} {ended:<8} {count:>7}")
    finds = sum(count for (_, ended), count in tally.items() if ended == "FIND")
    print(f"{sum(tally.values())} inputs in {time.monotonic() - began:.0f} s, {finds} finds;")
    print(f"the slowest took {slowest:.1f} s; the largest process had {largest / 1e6:.0f} MB")
    return bool(finds)


def _keep(one: Outcome, seeds: list, seed: int, folder: Path) -> None:  # type: ignore[type-arg]
    """Print a find, and write down the input that made it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{seed}-{one.number}.{one.kind}"
    path.write_bytes(made(seeds, seed, one.number, folder).data)
    print(f"FIND {path}: {'; '.join(one.problems)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
