"""GPU timelines beside a report: read, measure, and match with what was profiled."""
