"""What a GPU's units can reach: measured by reference kernels, or assumed from public data."""
