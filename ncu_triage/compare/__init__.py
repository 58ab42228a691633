"""Two diagnoses held against each other: what changed, by how much, and why."""
