# %% [markdown]
# # A tour of tinygrad_mlir
#
# Editors that know cells (`# %%`) show this file as a notebook: run it cell by cell,
# or all of it with `./dev python docs/tour/tutorial.py`. Those who know tinygrad or
# PyTorch find the same names here.

# %%
import tempfile
from pathlib import Path

import numpy as np
from tinygrad_mlir import Error, Tensor, TinyJit, compiler, dtypes, nn
from tinygrad_mlir.nn import optim, state

# %% [markdown]
# ## Tensors are lazy
#
# Operations build a graph. It is compiled and run when somebody asks for values, and a
# graph that was seen before is not compiled again.

# %%
x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
y = (x * 2 + 1).sum(axis=1)
print(y.shape, y.dtype, y.is_realized())
print(y)
assert y.tolist() == [15.0, 33.0]

# %% [markdown]
# ## What runs
#
# A schedule lists the kernels that would run. In a notebook it is a table whose rows
# unfold to the code. The whole of this expression is one kernel:

# %%
a, b = Tensor.rand(64, 128).realize(), Tensor.rand(128, 32).realize()
layer = (a @ b).relu()
schedule = compiler.schedule(layer)
print(schedule)
assert len(schedule) == 1
schedule  # noqa: B018

# %% [markdown]
# ## Gradients

# %%
w = Tensor([2.0, -1.0], requires_grad=True)
loss = ((w * Tensor([3.0, 4.0])).sum() - 1).square()
loss.backward()
print(w.grad)
assert w.grad is not None and w.grad.tolist() == [6.0, 8.0]

# %% [markdown]
# ## A model that learns
#
# It tells which of two circles a point is in. `TinyJit` keeps what the second call
# runs, so that later calls run no Python: the step of training is a list of kernels.


# %%
class Model:
    def __init__(self) -> None:
        self.first, self.second = nn.Linear(2, 16), nn.Linear(16, 2)

    def __call__(self, x: Tensor) -> Tensor:
        return self.second(self.first(x).tanh())


Tensor.manual_seed(0)
model = Model()
optimizer = optim.Adam(state.get_parameters(model), lr=0.02)


@TinyJit
def step(points: Tensor, labels: Tensor) -> Tensor:
    loss = model(points).sparse_categorical_crossentropy(labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.realize()


random = np.random.default_rng(0)


def draw(count: int) -> tuple[Tensor, Tensor]:
    labels = random.integers(0, 2, count).astype(np.int32)
    points = random.normal(size=(count, 2)) * 0.5 + 2.0 * labels[:, None] - 1
    return Tensor(points.astype(np.float32)), Tensor(labels)


Tensor.training = True
losses = [step(*draw(64)).item() for _ in range(60)]
Tensor.training = False
points, labels = draw(500)
accuracy = (model(points).argmax(axis=1) == labels).mean().item()
print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, {accuracy:.1%} right")
assert accuracy > 0.95

# %% [markdown]
# ## Saving, in the format that others read

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.safetensors"
    state.safe_save(state.get_state_dict(model), str(path))
    other = Model()
    state.load_state_dict(other, state.safe_load(str(path)), verbose=False)
    assert other.first.weight.tolist() == model.first.weight.tolist()

# %% [markdown]
# ## Arrays of others
#
# `Tensor(array)` and `numpy()` copy. `Tensor.from_buffer`, `Tensor.from_dlpack`,
# `numpy.asarray` and `torch.from_dlpack` share: both sides see what either writes.
# We never write into memory that is shared, not even by `assign`.

# %%
array = np.zeros(4, np.float32)
shared = Tensor.from_buffer(array)
array[:] = [1, 2, 3, 4]
print(shared)
assert shared.tolist() == [1, 2, 3, 4]
assert np.shares_memory(np.asarray(shared), array)
shared.assign(shared * 10).realize()
assert array.tolist() == [1, 2, 3, 4]

# %% [markdown]
# ## The compiler
#
# `jit` shows what becomes of a function: at first operations on tensors, ...


# %%
@compiler.jit
def norm(x: Tensor) -> Tensor:
    return (x * x).sum().sqrt()


print(norm.ir("graph", Tensor.rand(256)))

# %% [markdown]
# ... then kernels on memory, loops and vectors, and LLVM's code. A stage is a pipeline
# of passes or one of the names `graph`, `schedule`, `loops`, `llvm` and `llvm-ir`.

# %%
print(norm.ir("tinygrad-schedule", Tensor.rand(256)))
assert "vector" in norm.ir("loops", Tensor.rand(256))
assert "define void" in norm.ir("llvm-ir", Tensor.rand(256))

# %% [markdown]
# Modules are texts of MLIR. Compiled functions take arrays as they are.

# %%
TEXT = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p = lazy.mul %x, %y : tensor<4xf32>
  %r = lazy.sqrt %p : tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
module = compiler.parse(TEXT)
print(module.run("tinygrad-to-loops"))
geometric = compiler.compile(module)
print(geometric(array, 4 * array))
assert geometric(array, 4 * array).tolist() == [2, 4, 6, 8]

# %% [markdown]
# ## Mistakes
#
# An `Error` says what is wrong in one sentence; `op` and `shapes` hold its parts. Those
# of the compiler have places in the text.

# %%
try:
    Tensor.ones(2, 3).reshape(4, 2)
except Error as error:
    print(error)
    assert error.op == "reshape"

try:
    compiler.parse(TEXT.replace("lazy.sqrt %p", "lazy.sqrt %q"), "wrong.mlir")
except Error as error:
    print(error.diagnostics)
    assert error.diagnostics[0].line == 4

# %%
assert Tensor(array).cast(dtypes.int32).tolist() == [1, 2, 3, 4]
