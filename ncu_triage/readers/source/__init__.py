"""Name the places in the code that carry a metric."""
