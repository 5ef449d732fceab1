"""Statements that compute, change, differentiate, train, capture and save."""

from __future__ import annotations

import re

from .networks import contraction, loss
from .program import Program
from .shaped import elementwise, indexing, movement, reduction


def change(p: Program) -> None:
    """Changes a variable that no other one shares memory with."""
    made = p.add(f"{p.old()}.detach().float() * 1.5")
    p.do(f"{made}.realize()", runs=False)
    for _ in range(p.rng.randint(1, 3)):
        if p.chance(0.6):
            p.do(f"{made} {p.pick('+', '-', '*', '/')}= {p.operand(made)}")
        else:
            data = p.tensor(p.get(made).shape, "float32")
            p.do(f"{made}.assign({data.replace('=True', '=False')})")
        # The reference may step twice otherwise.
        p.do(f"{made}.realize()", runs=False)
    p.add(p.pick(elementwise, movement, reduction)(p))


def gradient(p: Program) -> None:
    """Computes a loss and its gradients."""
    for _ in range(p.rng.randint(1, 2)):
        shape = p.shape(p.pick(1, 2, 2, 3))
        p.add(f"Tensor({p.values(shape, 'float32')}, requires_grad=True)")
    for _ in range(p.rng.randint(1, 4)):
        p.add(p.pick(elementwise, movement, reduction, indexing, contraction, loss)(p))
    x = p.tensors[-1] if p.chance(0.7) else p.old()
    weighed = f"({x}.float() * {p.tensor(p.get(x).shape, 'float32')})"
    total = p.add(
        p.pick(f"{weighed}.sum()", f"{weighed}.square().mean()", f"{x}.sum()")
    )
    if p.get(x).requires_grad:
        p.do(f"{total}.backward()", runs=False)


def training(p: Program) -> None:
    """Steps of an optimizer."""
    rng = p.rng
    n, m = rng.randint(1, 3), rng.randint(1, 3)
    w = p.add(f"Tensor({p.values((n, m), 'float32')}, requires_grad=True)")
    b = p.add(f"Tensor({p.values((m,), 'float32')})")
    options = p.pick("", ", lr=0.1", ", lr=0.05")
    made = p.pick(
        f"SGD([{w}, {b}]{options})",
        f"SGD([{w}, {b}], momentum=0.9, nesterov={p.pick(True, False)})",
        f"SGD([{w}, {b}], lr=0.1, weight_decay=0.1)",
        f"Adam([{w}, {b}]{options})",
        f"AdamW([{w}, {b}]{options}, wd=0.1)",
        f"LAMB([{w}, {b}]{options})",
    )
    p.do(f"optimizer = optim.{made}")
    p.do("Tensor.training = True")
    inputs = [p.tensor((4, n), "float32") for _ in range(3)]
    act = p.pick("relu", "tanh", "sigmoid", "gelu")
    # Realized here: the reference sees parameters as they are when it computes.
    body = [
        f"    loss = (x @ {w} + {b}).{act}().square().mean().realize()",
        "    optimizer.zero_grad()",
        "    loss.backward()",
        "    optimizer.step()",
    ]
    if p.chance(0.4):
        lines = ["@TinyJit", "def step(x):", *body, "    return loss.realize()"]
        p.do("\n".join(lines))
        inputs = inputs * 2
        body = ["    loss = step(x)"]
    v = p.name()
    begin = [f"{v} = []", f"for x in [{', '.join(inputs)}]:"]
    end = [f"    {v}.append(loss.numpy())", f"{v} = np.array({v})"]
    p.do("\n".join(begin + body + end), runs=False)


def capture(p: Program) -> None:
    """A function under TinyJit, with changing inputs."""
    inner = Program(p.rng.randrange(2**30))
    shapes = [p.shape(p.pick(1, 2, 3)) for _ in range(p.pick(1, 2))]
    names = [inner.add(inner.tensor(shape, "float32")) for shape in shapes]
    kept = p.add(p.tensor(None, "float32"))
    start = len(inner.lines)
    for _ in range(p.rng.randint(1, 4)):
        inner.add(p.pick(elementwise, movement, reduction, contraction)(inner))
    body = "".join(f"    {line}\n" for line in inner.lines[start:])
    result = inner.tensors[-1]
    calls = []
    for _ in range(4):
        calls.append(", ".join(p.tensor(shape, "float32") for shape in shapes))
    # Names of its own, and a result of all inputs: the reference wants that.
    body = re.sub(r"\bv(\d)", r"w\1", body)
    names = [name.replace("v", "w") for name in names]
    result = " + ".join([result.replace("v", "w"), *(f"{n}.sum()" for n in names)])
    v = p.name()
    p.do(
        f"@TinyJit\ndef f({', '.join(names)}):\n{body}"
        f"    return (({result}) * {kept}.sum()).realize()\n"
        f"{v} = np.concatenate([f(*a).numpy().ravel() for a in "
        f"[{', '.join(f'({c},)' for c in calls)}]])",
        runs=False,
    )


def state(p: Program) -> None:
    """Saves tensors and loads them."""
    x, y = p.old(), p.old()
    p.do(f"safe_save({{'x': {x}, 'y.z': {y}}}, 'tensors.safetensors')", False)
    v = p.name()
    p.do(f"{v} = safe_load('tensors.safetensors')['x'].to('CPU')", False)
