"""Triage Nsight Compute reports: what limits each kernel, by which numbers."""

__version__ = "0.1.0"
