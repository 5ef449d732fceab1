"""What tinygrad has beside its core, of which there is nothing here."""

raise ModuleNotFoundError(
    "tinygrad_mlir has no `features` of tinygrad: the compiler chooses how kernels "
    "run by itself",
    name=__name__,
)
