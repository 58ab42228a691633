"""Derived quantities: what the profiler's metrics say, each with its origin."""
