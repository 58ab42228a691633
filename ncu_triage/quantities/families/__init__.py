"""One file a family of quantities; each is found by its `QUANTITIES`."""
