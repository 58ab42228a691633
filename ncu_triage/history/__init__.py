"""What was measured night by night: kept, told from noise, and judged anew by newer rules."""
