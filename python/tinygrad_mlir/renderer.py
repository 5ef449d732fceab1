"""The renderers of tinygrad, of which there is nothing here."""

raise ModuleNotFoundError(
    "tinygrad_mlir has no `renderer` of tinygrad: tinygrad_mlir.compiler shows the "
    "code of kernels at each stage",
    name=__name__,
)
