from .losses import (
    Loss as Loss,
    LossValues as LossValues,
    losses as losses,
    register as register,
)
