"""One line that names what a text is, and what to do instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.csv_reading import refused

TEXTS = {
    "the session page": 'Launch Settings\n"Launch Attribute","Value"\n',
    "the source page": '"Kernel Name","f(int)",\n"Address","Source","# Samples"\n',
    "source page": "#,Address,Source,Live Registers\n,,f\n1,00007ffc c55eb400,EXIT,2\n",
    "source page, which": '"File Path","/x.cu"\n"Function Name","f"\n"Line No","Source"\n',
    "nvprof": "==5288== NVPROF is profiling process 5288, command: ./a\n",
    "of nvprof": '"Time(%)","Time","Calls"\n99.1,2.1,3\n',
    "Nsight Systems": "Time (%),Total Time (ns),Instances\n100.0,11649,1\n",
    "(nsys stats)": "Start (ns),Duration (ns),CorrId\n1,2,3\n",
    "rocprof": "Dispatch_ID,Kernel_Name,GPU_ID\n0,f,1\n",
    "nvidia-smi": "timestamp, name, utilization.gpu [%]\n2024, A10, 50 %\n",
    "text for the screen": "[42] app@h\n  f(int) (1, 1, 1)x(1, 1, 1), Context 1\n    Section: X\n",
    "lost its header or units": "0,f,SOL FB,%,40.1\n0,f,Duration,ns,5\n",
    "the profiler's messages": "hello\n==WARNING== No kernels were profiled.\n",
    "no line of this text can be read": '1,"never closed\n',
    "only blank lines": "\n \n",
    "no export of Nsight Compute": "# mine\nkernel,time_ms,pct\nnaive,4.63,97.9\nshared,3.1,98\n",
    "this is text, not a report": "It was a dark and stormy night.\n",
}


@pytest.mark.parametrize("phrase", TEXTS)
def test_a_text_without_launches_is_named(phrase: str, tmp_path: Path) -> None:
    assert phrase in refused(tmp_path, TEXTS[phrase])


def test_the_content_decides_and_not_the_name(tmp_path: Path) -> None:
    """A pid in brackets is no JSON, and JSON is no table."""
    assert "JSON" in refused(tmp_path, '[\n  {"a": 1}\n]')
    assert "JSON" in refused(tmp_path, '{"a": 1}')
