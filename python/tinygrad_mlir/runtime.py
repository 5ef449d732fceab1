"""The runtimes of tinygrad, of which there is nothing here."""

raise ModuleNotFoundError(
    "tinygrad_mlir has no `runtime` of tinygrad: Device lists the devices, and "
    "tinygrad_mlir.compiler compiles and calls functions",
    name=__name__,
)
