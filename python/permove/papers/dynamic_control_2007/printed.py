"""Published values."""

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

TABLE_2_SIZES = (1.1e10, 7.4e8, 5.9e7, 6.1e6, 8.6e5, 1.5e5, 3.1e4, 6.4e3)
TABLE_2_SECONDS = (365 * DAY, 30 * DAY, 4 * DAY, 19 * HOUR, 5 * HOUR, 2 * HOUR, 50 * MINUTE, 20 * MINUTE)
"""From level 0; the first three are estimates."""

TABLE_2 = {3: (1.09, 5), 4: (1.11, 16), 5: (1.65, 111), 6: (1.99, 253), 7: (3.12, 529)}
"""By level, suboptimality and states per move."""

ACCURACY = {5: 0.72, 20: 0.44}
"""Accuracy of classifiers by d_max."""
