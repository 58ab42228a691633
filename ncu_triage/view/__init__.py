"""From a Diagnosis to what a reader sees, once, for every output."""
