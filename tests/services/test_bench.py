"""Goal: the benches run and say what they promise; how fast is not a matter of tests. Method: a small `bench fanout` from the
command line, whose record is read.
"""

import json
import subprocess
import sys


def test_bench_fanout_measures_a_table_and_a_storm() -> None:
    command = (sys.executable, "-m", "services.cli.main", "bench", "fanout", "--watchers", "6", "--sockets", "20")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr  # 1: a gate was missed, on a busy machine
    assert done.stdout, done.stderr
    record = json.loads(done.stdout)
    assert (record["bench"], record["watchers"], record["sockets"]) == ("fanout", 6, 20)
    assert record["updates_heard"] == 6 * record["events"] and record["different_frames"] == 1
    assert record["resumed"] == 20
    assert 50 < record["bytes_per_event"] < 2000
    assert record["event_us_watched"] > 0 and record["resume_p99_ms"] > 0
