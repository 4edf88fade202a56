"""Code shared by the two papers on dynamic control: problems, algorithms, records, plots and experiments."""
