"""One module per file format or collection; each turns original files into `Parsed` and knows nothing of sources."""
