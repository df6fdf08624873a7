"""Values in clusters, such as users or alike queries: ratios, means, flips and draws."""
