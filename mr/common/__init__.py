"""What every room may use: paths, the label convention, metrics, input checks."""
