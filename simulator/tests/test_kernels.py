#!/usr/bin/env python3
"""The counters of twelve ordinary kernels, and nothing found in them.

golden/kernels.csv: `measured` is what Nsight Compute read on an H200,
`simulated` what this test demands; where they differ, `note` names the cause.
"""
import csv

from harness import (HERE, check, command, counted_mode, finish, reports, simcc,
                     skip, workdir)

GOLDEN = HERE / "golden"


def count(launch, quantity):
    """A counter by the name that the table uses."""
    return launch["counts"].get(quantity.replace("_lane_operations", ""))


def main():
    with workdir() as directory:
        program, report = directory / "kernels", directory / "report.jsonl"
        built = simcc(GOLDEN / "kernels.cu", program)
        if not check("kernels: kernels.cu builds", built.returncode == 0,
                     built.stderr):
            finish()
        ran = command([program], env={"SIM_REPORT": report})
        check("kernels: twelve results are right, nothing is found",
              built.returncode == 0 and ran.returncode == 0 and not ran.stderr,
              f"status {ran.returncode}\n{ran.stdout}{ran.stderr}")
        if not counted_mode(directory):
            skip("kernels: counters", "needs clang 14 or newer")
            finish()
        launches = {launch["kernel"].replace(" ", ""): launch
                    for launch in reports(report)}
    with open(GOLDEN / "kernels.csv", newline="") as file:
        for row in csv.DictReader(file):
            kernel, quantity = row["kernel"], row["quantity"]
            name = f"kernels: {kernel} {quantity} is {row['simulated']}"
            if kernel not in launches:
                check(name, False, f"not launched; there are {list(launches)}")
                continue
            value = count(launches[kernel], quantity)
            check(name, value == int(row["simulated"]),
                  f"counted {value}, an H200 has {row['measured']}")
    finish()


if __name__ == "__main__":
    main()
