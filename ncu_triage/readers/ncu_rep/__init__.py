"""Read a report file (`.ncu-rep`, `.ncu-repz`) directly, by its documented format."""
