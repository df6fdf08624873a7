from .losses import (
    Loss as Loss,
    LossValues as LossValues,
    loss as loss,
    losses as losses,
    register as register,
)
