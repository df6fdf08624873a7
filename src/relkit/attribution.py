"""Where the gain went: recall loss against ranking loss, stage by stage."""
