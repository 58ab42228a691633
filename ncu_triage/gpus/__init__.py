"""What a report may not say about its GPU: rates, products, limits, each with a source."""
