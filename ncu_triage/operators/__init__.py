"""What kernels compute: work and least traffic of operators, by formulas that anyone can check."""
