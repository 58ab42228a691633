"""Join a timeline with a report: the same kernels, or why not."""
