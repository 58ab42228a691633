"""Ask NVIDIA's own reader, in a process that ends: it never gives memory back."""
