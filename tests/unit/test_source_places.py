"""From instructions to places: shares of the total, lines before instructions, most first."""

from __future__ import annotations

import pytest

from ncu_triage.model import Where
from ncu_triage.readers.source.places import Code, Instruction, places

FIRST = 0x7F0000001000
A, B = "/home/user/a.cu", r"C:\Users\user\b.cu"


def code(**instructions: tuple[str, str, int]) -> Code:
    """Build a program from instructions by offset, written as `x10` for 0x10."""
    by_pc = {FIRST + int(k[1:], 16): Instruction(*v) for k, v in instructions.items()}
    return Code((FIRST,), by_pc)


def values(*amounts: float) -> dict[int, float]:
    return {FIRST + 16 * i: amount for i, amount in enumerate(amounts)}


def test_instructions_of_a_line_add_up() -> None:
    program = code(x0=("MOV R1", A, 7), x10=("LDS R2", A, 9), x20=("LDS R3", A, 9))

    found = places(values(5, 1, 4), program)

    assert found == [
        Where(file="a.cu", line=7, sass="MOV R1", share=0.5),
        Where(file="a.cu", line=9, sass="LDS R3", share=0.5),
    ]


def test_most_comes_first_and_among_equals_the_first_in_the_code() -> None:
    found = places(values(1, 3, 3, 2), Code((FIRST,), {}))

    assert [one.sass for one in found] == ["+0x10", "+0x20", "+0x30", "+0x0"]


def test_folders_are_dropped_but_tell_files_apart() -> None:
    program = code(x0=("", A, 1), x10=("", "/other/a.cu", 1), x20=("", B, 1))

    found = places(values(2, 1, 1), program)

    assert [(one.file, one.line, one.share) for one in found] == [
        ("a.cu", 1, 0.5),
        ("a.cu", 1, 0.25),
        ("b.cu", 1, 0.25),
    ]


def test_without_a_line_an_instruction_stands_for_itself() -> None:
    program = code(x0=("LDS R7, [R7.X4]", "", 0), x10=("", A, 0), x20=("NOP", A, 3))

    found = places(values(3, 2, 1), program)

    assert found == [
        Where(sass="+0x0 LDS R7, [R7.X4]", share=0.5),
        Where(sass="+0x10", share=pytest.approx(1 / 3)),
        Where(file="a.cu", line=3, sass="NOP", share=pytest.approx(1 / 6)),
    ]


def test_an_offset_names_its_function_where_there_are_several() -> None:
    second = FIRST + 0x100

    found = places({FIRST + 0x10: 2, second + 0x20: 1}, Code((FIRST, second), {}))

    assert [one.sass for one in found] == ["+0x10 in function 1", "+0x20 in function 2"]


def test_samples_may_fall_into_foreign_code() -> None:
    found = places({FIRST - 0x30: 1, FIRST: 3}, Code((FIRST,), {}))

    assert [one.sass for one in found] == ["+0x0", "-0x30"]


def test_only_a_few_places_come_back_and_none_that_carries_next_to_nothing() -> None:
    assert len(places(values(*[1] * 20), Code((FIRST,), {}))) == 5
    assert len(places(values(990, 10), Code((FIRST,), {}))) == 2
    assert len(places(values(991, 9), Code((FIRST,), {}))) == 1
    assert places(values(*[1] * 1000), Code((FIRST,), {})) == []
