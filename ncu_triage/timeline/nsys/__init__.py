"""Read what Nsight Systems exports as SQLite."""
