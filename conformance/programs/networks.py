"""Contractions, windows, losses and layers."""

from __future__ import annotations

import numpy

from .program import Program


def contraction(p: Program) -> str:
    rng = p.rng
    m, n, k = (rng.choice((1, 2, 3, 4, 5, 17, 32, 65)) for _ in range(3))
    batch = p.pick((), (), (2,), (1,), (3, 1))
    kind = rng.random()
    if kind < 0.3:
        x = p.add(p.tensor((*batch, m, k), "float32"))
        y = p.tensor(p.pick((k, n), (*batch, k, n), (k,), (k + 1, n)), "float32")
        return p.pick(
            f"{x} @ {y}", f"{x}.dot({y})", f"{x}.matmul({y})", f"{x}.linear({y})"
        )
    if kind < 0.55:
        x, y = p.tensor((m, k), "float32"), p.tensor((k, n), "float32")
        return p.pick(
            *(
                f"Tensor.einsum('ij,jk->{o}', {x}, {y})"
                for o in ("ik", "ki", "ijk", "", "k")
            ),
            f"Tensor.einsum('ij->{p.pick('ji', 'i', 'j', 'ij', '')}', {x})",
            f"Tensor.einsum('ij,ij->ij', [{x}, {x}])",
            f"Tensor.einsum('i,j->ij', {x}[0], {y}[0])",
            f"Tensor.einsum('ij,jk,kl->il', {x}, {y}, {p.tensor((n, 2), 'float32')})",
            f"Tensor.einsum('ij,jk->ik', {x})",
        )
    return attention(p) if kind < 0.65 else convolution(p)


def attention(p: Program) -> str:
    n, m, e = (p.rng.choice((1, 2, 3, 8, 16)) for _ in range(3))
    batch = p.pick((), (2,), (2, 3))
    q = p.add(p.tensor((*batch, n, e), "float32"))
    k, v = (p.tensor((*batch, m, e), "float32") for _ in range(2))
    mask = p.tensor((n, m), p.pick("float32", "bool"))
    how = p.pick("", ", is_causal=True", f", attn_mask={mask}", f", {mask}")
    return f"{q}.scaled_dot_product_attention({k}, {v}{how})"


def loss(p: Program) -> str:
    """A loss of logits, of which there are gradients."""
    n, m = p.rng.choice((1, 2, 5, 16)), p.rng.choice((2, 3, 10))
    x = p.add(p.tensor((n, m), "float32"))
    labels = numpy.array(p.rng.choices(range(-1, m), k=n)).tolist()
    odds = f"{p.tensor((n, m), 'int32')}.clip(0, 1).float()"
    return p.pick(
        f"{x}.sparse_categorical_crossentropy(Tensor({labels}))",
        f"{x}.sparse_categorical_crossentropy(Tensor({labels}), ignore_index=1)",
        f"{x}.binary_crossentropy_logits({odds})",
        f"{x}.sigmoid().clip(0.01, 0.99).binary_crossentropy({odds})",
        f"{x}.linear({p.tensor((m, n), 'float32')}, {p.tensor((n,), 'float32')})",
        f"{x}.linear({p.tensor((m,), 'float32')})",
        f"{x}.sequential([Tensor.relu, lambda x: x * 2, Tensor.tanh])",
    )


def convolution(p: Program) -> str:
    rng = p.rng
    dims = p.pick(1, 2, 2, 2, 3)
    groups = p.pick(1, 1, 1, 2, 3)
    wide = 9 if p.is_large else 2
    cin, cout = groups * rng.randint(1, wide), groups * rng.randint(1, wide)
    most = 24 if p.is_large and dims < 3 else 7
    size = tuple(rng.randint(3, most) for _ in range(dims))
    kernel = tuple(rng.randint(1, 3) for _ in range(dims))

    def per_axis(*choices: int) -> str:
        if p.chance(0.5):
            return str(rng.choice(choices))
        return str(tuple(rng.choice(choices) for _ in range(dims)))

    options = ""
    if groups > 1:
        options += f", groups={groups}"
    if p.chance(0.5):
        options += f", stride={per_axis(1, 2, 3)}"
    if p.chance(0.4):
        options += f", dilation={per_axis(1, 2)}"
    if p.chance(0.5):
        pad = per_axis(0, 1, 2)
        if p.chance(0.3):
            pad = str([rng.choice((0, 1, 2)) for _ in range(2 * dims)])
        options += f", padding={pad}"
    x = p.add(p.tensor((p.pick(1, 2), cin, *size), "float32"))
    if p.chance(0.4):
        weight = p.tensor((cout, cin // groups, *kernel), "float32")
        bias = p.pick("", f", {p.tensor((cout,), 'float32')}")
        return f"{x}.conv2d({weight}{bias}{options})"
    if p.chance(0.4):
        weight = p.tensor((cin, cout // groups, *kernel), "float32")
        if p.chance(0.3):
            options += f", output_padding={per_axis(0, 1)}"
        if "[" in options:
            options = ""
        return f"{x}.conv_transpose2d({weight}{options})"
    square = p.pick(kernel, kernel, 2) if dims == 2 else kernel
    stride = p.pick("", "", f", stride={per_axis(1, 2, 3)}")
    dilation = p.pick("", f", dilation={per_axis(1, 2)}") if min(size) > 4 else ""
    return f"{x}.{p.pick('max', 'avg')}_pool2d({square}{stride}{dilation})"


def layer(p: Program) -> None:
    """Calls a layer, and takes the gradients of its weights."""
    rng = p.rng
    n, m = rng.randint(1, 4), rng.randint(1, 4)
    bias = p.pick("", ", bias=False")
    made, shape, dtype = p.pick(
        (f"nn.Linear({n}, {m}{bias})", p.pick((2, n), (n,), (2, 3, n)), "float32"),
        (f"nn.Conv2d({n}, {m}, 3, padding=1{bias})", (2, n, 4, 5), "float32"),
        (f"nn.Conv2d({n}, {m}, (2, 3), stride=2{bias})", (1, n, 5, 6), "float32"),
        (f"nn.Conv1d({n}, {m}, 3{bias})", (2, n, 6), "float32"),
        (f"nn.ConvTranspose2d({n}, {m}, 3, stride=2{bias})", (1, n, 3, 4), "float32"),
        (f"nn.BatchNorm2d({n})", (3, n, 4, 2), "float32"),
        (f"nn.BatchNorm2d({n}, affine=False, momentum=0.3)", (3, n, 2, 2), "float32"),
        (f"nn.GroupNorm(2, {2 * n})", (2, 2 * n, 3), "float32"),
        (f"nn.InstanceNorm({n})", (2, n, 3, 2), "float32"),
        (f"nn.LayerNorm({n})", (2, 3, n), "float32"),
        (f"nn.LayerNorm(({m}, {n}), elementwise_affine=False)", (2, m, n), "float32"),
        (f"nn.LayerNorm2d({n})", (2, n, 3, 2), "float32"),
        (f"nn.Embedding({n + 9}, {m})", (2, 3), "uint8"),
    )
    p.do(f"layer = {made}")
    # Weights that do not depend on random numbers.
    p.do(
        "for key, w in get_state_dict(layer).items():\n"
        "    if key in ('weight', 'bias'):\n"
        "        w.assign(Tensor((np.arange(w.numel()) % 7 - 3).reshape(w.shape)"
        ".astype(np.float32) / 4))\n"
        "        w.requires_grad = True"
    )
    if p.chance(0.4):
        p.do("Tensor.training = True")
    x = p.add(p.tensor(shape, dtype))
    if dtype == "float32":
        p.do(f"{x}.requires_grad = True")
    y = p.add(f"layer({x})")
    p.do(f"({y} * 0.5 + {y}.square()).mean().backward()", runs=False)
    v = p.name()
    p.do(
        f"{v} = np.concatenate([(w if w.grad is None else w.grad).numpy().ravel()\n"
        "    for key, w in sorted(get_state_dict(layer).items())\n"
        "    if key != 'vocab_counter'] or [np.zeros(0)])",
        runs=False,
    )
