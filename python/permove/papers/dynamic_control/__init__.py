"""What the two papers on dynamic control share: problems, algorithms, points, and how their items are reproduced."""
