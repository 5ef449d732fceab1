"""The code generator of tinygrad, of which there is nothing here."""

raise ModuleNotFoundError(
    "tinygrad_mlir has no `codegen` of tinygrad: kernels are made by MLIR, whose "
    "stages tinygrad_mlir.compiler shows and runs",
    name=__name__,
)
