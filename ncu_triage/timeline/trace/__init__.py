"""Read the traces that PyTorch's profiler writes (JSON, plain or gzip)."""
