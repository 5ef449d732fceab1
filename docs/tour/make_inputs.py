"""Writes the inputs of matmul_relu.mlir: a.npy and b.npy."""

import numpy as np

random = np.random.default_rng(0)
np.save("a.npy", random.normal(size=(256, 512)).astype(np.float32))
np.save("b.npy", random.normal(size=(512, 128)).astype(np.float32))
