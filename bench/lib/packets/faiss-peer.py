"""FAISS's flat index as a contestant: opens and searches when told to by a line on standard input.

Arguments: the index, the questions as float32, how many results each. Its figures are of this process alone.
"""

import json
import sys
import time

import faiss
import numpy as np

path, questions, k = sys.argv[1], sys.argv[2], int(sys.argv[3])
faiss.omp_set_num_threads(1)


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def measured(work):
    cpu, wall, memory = time.process_time(), time.perf_counter(), resident()
    result = work()
    return result, {
        "cpu": (time.process_time() - cpu) * 1000,
        "wall": (time.perf_counter() - wall) * 1000,
        "memory": resident() - memory,
        "whole": resident(),
    }


index = None
# One at a time, as questions come: FAISS would batch them otherwise.
asked = None
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    if line.strip() == "open":
        index, figures = measured(lambda: faiss.read_index(path))
        asked = np.fromfile(questions, "<f4").reshape(-1, 1, index.d)
        print(json.dumps(figures), flush=True)
    else:
        found, figures = measured(lambda: [index.search(one, k)[1][0].tolist() for one in asked])
        print(json.dumps({**figures, "rows": found}), flush=True)
