"""The GPU facts: every data file is whole, and the numbers in it add up."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from ncu_triage.gpus import data, facts

FILES = sorted(Path(data.__file__).parent.glob("sm_*.toml"))
ARCHITECTURES = [data.read(path) for path in FILES]
PRODUCTS = [(found, known) for found in ARCHITECTURES for known in found.products]

every_architecture = pytest.mark.parametrize("found", ARCHITECTURES, ids=[f.stem for f in FILES])
every_product = pytest.mark.parametrize(
    ("found", "known"), PRODUCTS, ids=[f"{f.compute_capability} {p.name}" for f, p in PRODUCTS]
)


def test_the_supported_architectures_are_there() -> None:
    names = {found.compute_capability for found in ARCHITECTURES}
    turing_and_older = {"6.0", "6.1", "7.0", "7.2", "7.5"}
    assert names >= turing_and_older | {"8.0", "8.6", "8.7", "8.9", "9.0"}
    assert names >= {"10.0", "10.3", "11.0", "12.0", "12.1"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_found_by_its_own_compute_capability(path: Path) -> None:
    found = data.read(path)
    assert data.architecture(found.compute_capability) == found


@every_architecture
def test_every_number_has_a_source(found: data.Architecture) -> None:
    for entry in (*found.rates, *found.dram, *found.products):
        assert len(entry.source) > 10
        assert "public file" not in entry.source


@every_architecture
def test_rates_are_positive_and_given_once_per_part(found: data.Architecture) -> None:
    parts = [part.name for part in found.parts]
    assert len(set(parts)) == len(parts)
    for part in parts or [""]:
        groups = [group for group in found.rates if not group.parts or part in group.parts]
        given = [precision for group in groups for precision in group.per_clock]
        assert len(set(given)) == len(given)
    for group in found.rates:
        assert set(group.parts) <= set(parts)
        assert all(value > 0 for value in group.per_clock.values())


@every_architecture
def test_fp32_and_fp64_are_known_everywhere(found: data.Architecture) -> None:
    for name in [known.name for known in found.products]:
        assert facts.rate(found.compute_capability, name, "fp32") is not None
        assert facts.weak_fp64(found.compute_capability, name) is not None


@every_architecture
def test_only_parts_with_tensor_cores_have_tensor_rates(found: data.Architecture) -> None:
    for name in [known.name for known in found.products]:
        known = dict(facts.rates(found.compute_capability, name))
        if not facts.has_tensor_cores(found.compute_capability, name):
            assert not [precision for precision in known if precision.startswith("tensor_")]


@every_architecture
def test_dram_shares_are_shares_and_belong_to_a_product(found: data.Architecture) -> None:
    for entry in found.dram:
        assert 0.7 < entry.share <= 1
        assert any(
            entry.pattern.fullmatch(known.name) or known.pattern in (entry.pattern, None)
            for known in found.products
        )


@every_product
def test_a_product_is_whole(found: data.Architecture, known: data.Product) -> None:
    numbers = ("sm_count", "boost_mhz", "bandwidth_gb_s", "l2_mib")
    values = {name: getattr(known, name) for name in numbers}
    assert all(value is None or value > 0 for value in values.values())
    assert known.dram_bandwidth is not None
    assert {name for name in known.doubtful if values.get(name) is None} == set()


@every_architecture
def test_no_two_products_share_pattern_and_sm_count(found: data.Architecture) -> None:
    keys = [
        (known.pattern.pattern if known.pattern else known.name, known.sm_count)
        for known in found.products
    ]
    assert len(set(keys)) == len(keys)


@every_product
def test_a_product_without_a_pattern_is_found_by_its_name(
    found: data.Architecture, known: data.Product
) -> None:
    if known.pattern is None:
        capability = found.compute_capability
        assert facts.product(f"NVIDIA {known.name}", capability, known.sm_count) == known
        assert facts.product(f"{known.name} Laptop GPU", capability) != known


@every_product
def test_a_product_belongs_to_a_part_where_there_are_parts(
    found: data.Architecture, known: data.Product
) -> None:
    assert not found.parts or any(part.pattern.search(known.name) for part in found.parts)


# Data sheet figures in TFLOP/s: SM count x FLOP per clock x clock, worked by hand.
@pytest.mark.parametrize(
    ("capability", "name", "precision", "sms_and_ghz", "expected"),
    [
        ("6.0", "Tesla P100-SXM2-16GB", "fp64", (56, 1.48), 5.3),
        ("7.0", "Tesla V100-SXM2-32GB", "tensor_fp16", (80, 1.53), 125.3),
        ("7.5", "Tesla T4", "tensor_fp16", (40, 1.59), 65.1),
        ("7.5", "GeForce RTX 2080 Ti", "tensor_fp16", (68, 1.545), 53.8),
        ("7.5", "GeForce RTX 2080 Ti", "tensor_fp16_acc_fp16", (68, 1.545), 107.6),
        ("8.0", "NVIDIA A100-SXM4-40GB", "tensor_fp16", (108, 1.41), 311.9),
        ("8.0", "NVIDIA A100-SXM4-40GB", "tensor_fp64", (108, 1.41), 19.5),
        ("8.6", "NVIDIA A10", "tensor_fp16", (72, 1.695), 125.0),
        ("8.6", "NVIDIA A10G", "tensor_fp16", (80, 1.71), 70.0),
        ("8.6", "NVIDIA A40", "tensor_tf32", (84, 1.74), 74.8),
        ("8.6", "NVIDIA GeForce RTX 3090", "tensor_bf16", (82, 1.695), 71.2),
        ("8.7", "Orin", "tensor_int8", (16, 1.3), 85.2),
        ("8.9", "NVIDIA GeForce RTX 4090", "tensor_fp8", (128, 2.52), 330.3),
        ("8.9", "NVIDIA L4", "tensor_fp16", (58, 2.04), 121.2),
        ("8.9", "NVIDIA L40", "tensor_fp16", (142, 2.49), 181.0),
        ("9.0", "NVIDIA H100 80GB HBM3", "tensor_bf16", (132, 1.83), 989.4),
        ("9.0", "NVIDIA H100 80GB HBM3", "fp64", (132, 1.98), 33.45),
        ("9.0", "NVIDIA H800", "fp64", (132, 1.98), 1.045),
        ("10.0", "NVIDIA B200", "tensor_fp16", (148, 1.856), 2250.3),
        ("11.0", "NVIDIA Thor", "tensor_fp4", (20, 1.58), 1035.5),
        ("12.0", "NVIDIA GeForce RTX 5090", "tensor_fp16", (170, 2.407), 209.5),
        ("12.0", "NVIDIA GeForce RTX 5090", "tensor_fp4", (170, 2.407), 1676.0),
        (
            "12.0",
            "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
            "tensor_fp16",
            (188, 2.617),
            503.8,
        ),
    ],
)
def test_rates_give_the_data_sheet_figures(
    capability: str, name: str, precision: str, sms_and_ghz: tuple[int, float], expected: float
) -> None:
    found = facts.rate(capability, name, precision)
    assert found is not None
    sm_count, clock_ghz = sms_and_ghz
    worked = found.flops_per_clock_per_sm * sm_count * clock_ghz / 1e3
    assert worked == pytest.approx(expected, rel=0.001)


@pytest.mark.parametrize(
    ("name", "capability", "sm_count", "expected"),
    [
        ("NVIDIA A10", "8.6", 72, "A10"),
        ("NVIDIA A10G", "8.6", 80, "A10G"),
        ("NVIDIA A10", "8.6", 80, None),
        ("NVIDIA A100-SXM4-40GB", "8.0", 108, "A100 SXM4 40GB"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0", 14, None),
        ("NVIDIA GeForce RTX 4060", "8.9", 24, "GeForce RTX 4060"),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", "8.9", 24, "GeForce RTX 4060 Laptop GPU"),
        ("NVIDIA GeForce RTX 4080 Laptop GPU", "8.9", 58, None),
        ("NVIDIA GeForce RTX 2070 with Max-Q Design", "7.5", 36, None),
        ("GeForce RTX 3080", "8.6", 68, "GeForce RTX 3080 10GB"),
        ("NVIDIA GeForce RTX 3080", "8.6", 70, "GeForce RTX 3080 12GB"),
        ("NVIDIA GeForce RTX 3080", "8.6", None, None),
        ("Xavier", "7.2", 6, "Jetson Xavier NX"),
        ("Orin", "8.7", 16, "Jetson AGX Orin 64GB"),
        ("Orin", "8.7", 8, None),
        ("NVIDIA H20", "9.0", 78, "H20"),
        ("NVIDIA H200", "9.0", 132, "H200"),
        ("Tesla T4", "7.5", None, "Tesla T4"),
        ("Tesla T4", "8.6", 40, None),
        ("", "8.6", None, None),
    ],
)
def test_a_name_finds_its_product_and_no_other(
    name: str, capability: str, sm_count: int | None, expected: str | None
) -> None:
    found = facts.product(name, capability, sm_count)
    assert (found.name if found else None) == expected


def test_a_product_speaks_si_units() -> None:
    found = facts.product("Tesla T4", "7.5", 40)
    assert found is not None
    assert found.boost_clock == pytest.approx(1.59e9)
    assert found.dram_bandwidth == pytest.approx(320.1e9)
    assert found.l2_bytes == 4 * 2**20


def test_a_number_that_is_not_known_stays_none() -> None:
    found = facts.product("NVIDIA B100", "10.0")
    assert found is not None
    assert (found.sm_count, found.boost_clock, found.l2_bytes) == (None, None, None)


@pytest.mark.parametrize("capability", ["", "5.2", "99.0", "8", "8.6.1", "../8.6", "8.6\n"])
def test_an_unknown_architecture_has_no_facts(capability: str) -> None:
    assert data.architecture(capability) is None
    assert facts.rate(capability, "Tesla T4", "fp32") is None
    assert facts.product("Tesla T4", capability, 40) is None
    assert facts.weak_fp64(capability, "Tesla T4") is None
    assert facts.has_tensor_cores(capability, "Tesla T4") is None
    assert facts.is_integrated(capability) is False
    assert facts.dram_achievable(capability, "Tesla T4") == facts.DEFAULT_DRAM_SHARE


def test_an_unknown_name_has_only_what_all_parts_share() -> None:
    assert facts.rate("8.6", "Some New Board", "fp32") is not None
    assert facts.rate("8.6", "Some New Board", "tensor_fp16") is None
    assert facts.rate("8.6", "NVIDIA A10", "no-such-precision") is None


def test_a_slice_of_a_gpu_keeps_its_rates_per_sm() -> None:
    sliced = facts.rate("8.0", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "tensor_fp16")
    assert sliced is not None and sliced.flops_per_clock_per_sm == 2048


def test_integrated_parts_are_known() -> None:
    integrated = {a.compute_capability for a in ARCHITECTURES if a.integrated}
    assert integrated == {"7.2", "8.7", "11.0", "12.1"}
    assert facts.is_integrated("8.7") and not facts.is_integrated("8.6")


@pytest.mark.parametrize(
    ("capability", "name", "weak"),
    [
        ("8.0", "NVIDIA A100-SXM4-40GB", False),
        ("9.0", "NVIDIA H100 PCIe", False),
        ("9.0", "NVIDIA H800", True),
        ("10.3", "NVIDIA B300", True),
        ("8.6", "NVIDIA A40", True),
        ("7.5", "Tesla T4", True),
        ("6.0", "Tesla P100-PCIE-16GB", False),
    ],
)
def test_weak_fp64(capability: str, name: str, weak: bool) -> None:
    assert facts.weak_fp64(capability, name) is weak


@pytest.mark.parametrize(
    ("capability", "name", "there"),
    [
        ("7.5", "Tesla T4", True),
        ("7.5", "NVIDIA T400 4GB", False),
        ("7.5", "NVIDIA GeForce GTX 1660 SUPER", False),
        ("7.5", "NVIDIA GeForce RTX 2060 SUPER", True),
        ("6.1", "GeForce GTX 1080", False),
        ("12.0", "NVIDIA GeForce RTX 5090 D", True),
    ],
)
def test_has_tensor_cores(capability: str, name: str, there: bool) -> None:
    assert facts.has_tensor_cores(capability, name) is there


def test_dram_share_comes_from_the_part_else_from_the_stated_default() -> None:
    assert facts.dram_achievable_share("8.6", "NVIDIA A40") == 0.95
    assert facts.dram_achievable_share("8.6", "NVIDIA A10") == facts.DEFAULT_DRAM_SHARE.share


def test_the_default_dram_share_is_the_median_of_the_known_ones() -> None:
    known = [entry.share for found in ARCHITECTURES for entry in found.dram]
    assert facts.DEFAULT_DRAM_SHARE.share == pytest.approx(statistics.median(known), abs=0.01)


def test_one_question_reads_one_file() -> None:
    data.architecture.cache_clear()
    facts.rates.cache_clear()
    facts.rate("8.6", "NVIDIA A10", "fp32")
    facts.product("NVIDIA A10", "8.6", 72)
    assert data.architecture.cache_info().misses == 1


def test_a_new_file_is_a_new_architecture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = FILES[0].read_text(encoding="utf-8")
    old = data.read(FILES[0]).compute_capability
    (tmp_path / "sm_99.toml").write_text(text.replace(f'"{old}"', '"9.9"'), encoding="utf-8")
    monkeypatch.setattr(data, "_FOLDER", tmp_path)
    data.architecture.cache_clear()
    found = data.architecture("9.9")
    data.architecture.cache_clear()
    assert found is not None and found.compute_capability == "9.9"


@pytest.mark.parametrize(
    ("capability", "name", "sms", "precision", "expected"),
    [
        # 1024 * 40 * 1.59 GHz = 65.13 TFLOP/s over 320.1 GB/s.
        ("7.5", "Tesla T4", 40, "tensor_fp16", 203.5),
        # 2048 * 108 * 1.41 GHz = 311.9 TFLOP/s over 1555.2 GB/s.
        ("8.0", "NVIDIA A100-SXM4-40GB", 108, "tensor_fp16", 200.5),
        # 1024 * 80 * 1.53 GHz = 125.3 TFLOP/s over 898 GB/s.
        ("7.0", "Tesla V100-SXM2-16GB", 80, "tensor_fp16", 139.6),
        ("7.5", "Tesla T4", 40, "fp32", 25.4),
        # A slice is no product, and a part without tensor cores has no such point.
        ("8.0", "NVIDIA A100-SXM4-40GB", 42, "tensor_fp16", None),
        ("7.5", "NVIDIA GeForce GTX 1660 SUPER", 22, "tensor_fp16", None),
        ("8.6", "A GPU of somebody", 56, "fp32", None),
    ],
)
def test_balance_points_are_those_of_the_data_sheets(
    capability: str, name: str, sms: int, precision: str, expected: float | None
) -> None:
    found = facts.balance_point(capability, name, sms, precision)
    assert found == (None if expected is None else pytest.approx(expected, abs=0.05))
