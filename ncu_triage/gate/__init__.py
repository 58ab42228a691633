"""Conditions that a result must meet, and the rows that say whether it does."""
