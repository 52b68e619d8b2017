"""What the public names of the package are made of."""
