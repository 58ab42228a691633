"""One file per kind of operator, called like it; a file that is there is known.

Counting, for all kinds: a multiplication, an addition, a comparison, a division, a root and
an exponential are one FLOP each, a fused multiply-add two. Least bytes: every input is read
from DRAM once, every output written once, and what lies between them stays on the chip.
"""
