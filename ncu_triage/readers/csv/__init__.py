"""Read the tables that Nsight Compute writes as CSV, and people's copies of them."""
