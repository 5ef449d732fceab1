#!/usr/bin/env python3
"""Writes what PyTorch computes for layers and optimizers, and files it saves.

Usage: make_torch_nn_values.py FOLDER. FOLDER gets torch_nn_values.json, the values, and
torch_zip.pt, torch_older.pt, torch_tar.pt and torch_module.pt; it is
unittests/Tensor/data of the sources. Needs PyTorch; the tests do not.

Values are computed in float64 from inputs that float32 holds exactly. LAMB,
which PyTorch lacks, is computed by numpy from the formula of its paper.
"""

import io
import json
import pickle
import struct
import sys
import tarfile
from pathlib import Path

import numpy as np
import torch

torch.set_default_dtype(torch.float64)
NUM_STEPS = 5


def numbers(*shape, seed):
    """Sixty-fourths in [-2, 2) without a pattern."""
    random = np.random.RandomState(seed)
    return torch.tensor(random.randint(-128, 128, shape) / 64.0)


def dump(tensor):
    values = np.asarray(tensor.detach().numpy(), dtype=np.float64)
    return {
        "shape": list(values.shape),
        "data": [float(f"{value:.9g}") for value in values.reshape(-1)],
    }


def dump_all(tensors):
    return {name: dump(tensor) for name, tensor in tensors.items()}


def differentiate(outputs, parameters, inputs):
    """Returns the gradients of the outputs' sum, weighted by their positions."""
    loss = 0
    for output in outputs:
        weights = torch.arange(output.numel()) % 7 - 2.5
        loss = loss + (output.reshape(-1) * weights).sum()
    loss.backward()
    grads = {name: value.grad for name, value in parameters.items()}
    for i, value in enumerate(inputs):
        if value.requires_grad:
            grads[f"input{i}"] = value.grad
    return grads


def set_parameters(layer):
    for i, parameter in enumerate(layer.parameters()):
        parameter.data = numbers(*parameter.shape, seed=100 + i)


def layer_case(name, layer, inputs, call=None):
    """One layer with parameters, inputs, outputs and all gradients."""
    set_parameters(layer)
    for value in inputs:
        if value.is_floating_point():
            value.requires_grad_()
    outputs = (call or layer)(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    grads = differentiate(outputs, dict(layer.named_parameters()), inputs)
    return {
        "name": name,
        "state": dump_all(layer.state_dict()),
        "inputs": [dump(value) for value in inputs],
        "outputs": [dump(output) for output in outputs],
        "grads": dump_all(grads),
    }


class LayerNorm2d(torch.nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def make_layers():
    nn = torch.nn
    images = numbers(2, 4, 5, 6, seed=1)
    signals = numbers(2, 4, 7, seed=2)
    rows, hidden, cell = (
        numbers(3, 5, seed=3),
        numbers(3, 2, seed=4),
        numbers(3, 2, seed=5),
    )

    def copy(*values):
        return [value.clone() for value in values]

    indices = torch.tensor([[0, 3, 6], [3, 3, 1]])
    lstm, no_bias = nn.LSTMCell(5, 2), nn.LSTMCell(5, 2, bias=False)
    return [
        layer_case("Linear", nn.Linear(5, 3), copy(rows)),
        layer_case("Linear without bias", nn.Linear(5, 3, bias=False), copy(rows)),
        layer_case(
            "Conv1d",
            nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2),
            copy(signals),
        ),
        layer_case(
            "Conv2d",
            nn.Conv2d(
                4, 6, (3, 2), stride=(1, 2), padding=1, dilation=(2, 1), groups=2
            ),
            copy(images),
        ),
        layer_case(
            "ConvTranspose1d",
            nn.ConvTranspose1d(
                4, 6, 3, stride=2, padding=1, output_padding=1, groups=2
            ),
            copy(signals),
        ),
        layer_case(
            "ConvTranspose2d",
            nn.ConvTranspose2d(
                4, 2, (3, 2), stride=2, padding=1, output_padding=1, dilation=2
            ),
            copy(images),
        ),
        layer_case("LayerNorm", nn.LayerNorm((5, 6)), copy(images)),
        layer_case(
            "LayerNorm without weight",
            nn.LayerNorm(6, eps=1e-3, elementwise_affine=False),
            copy(images),
        ),
        layer_case("LayerNorm2d", LayerNorm2d(4), copy(images)),
        layer_case("GroupNorm", nn.GroupNorm(2, 4), copy(images)),
        layer_case("InstanceNorm", nn.InstanceNorm2d(4, affine=True), copy(images)),
        layer_case("Embedding", nn.Embedding(7, 3), [indices]),
        layer_case("RNNCell", nn.RNNCell(5, 2), copy(rows, hidden)),
        layer_case(
            "RNNCell with relu",
            nn.RNNCell(5, 2, nonlinearity="relu"),
            copy(rows, hidden),
        ),
        layer_case(
            "LSTMCell",
            lstm,
            copy(rows, hidden, cell),
            lambda x, h, c: lstm(x, (h, c)),
        ),
        layer_case("LSTMCell without bias and state", no_bias, copy(rows)),
        layer_case("GRUCell", nn.GRUCell(5, 2), copy(rows, hidden)),
        layer_case("GRUCell without state", nn.GRUCell(5, 2), copy(rows)),
    ]


def make_batchnorm(affine):
    """Two training steps, the gradients of the second, and an evaluation."""
    layer = torch.nn.BatchNorm2d(3, affine=affine)
    set_parameters(layer)
    state = dump_all(layer.state_dict())
    images = [numbers(4, 3, 2, 5, seed=10 + i).requires_grad_() for i in range(2)]
    outputs = [layer(image) for image in images]
    grads = differentiate(outputs[1:], dict(layer.named_parameters()), images[1:])
    trained = dump_all(layer.state_dict())
    layer.eval()
    outputs.append(layer(images[0]))
    return {
        "affine": affine,
        "state": state,
        "inputs": [dump(image) for image in images],
        "outputs": [dump(output) for output in outputs],
        "grads": dump_all(grads),
        "trained": trained,
    }


class Lamb:
    """LAMB on float64 arrays, from the paper, with tinygrad's defaults."""

    def __init__(self, values, lr, b1=0.9, b2=0.999, eps=1e-6, wd=0.0):
        self.values, self.lr, self.b1, self.b2 = values, lr, b1, b2
        self.eps, self.wd, self.t = eps, wd, 0
        self.m = [np.zeros_like(value) for value in values]
        self.v = [np.zeros_like(value) for value in values]

    def step(self, grads):
        self.t += 1
        for i, grad in enumerate(grads):
            self.m[i] = self.b1 * self.m[i] + (1 - self.b1) * grad
            self.v[i] = self.b2 * self.v[i] + (1 - self.b2) * grad**2
            m = self.m[i] / (1 - self.b1**self.t)
            v = self.v[i] / (1 - self.b2**self.t)
            up = m / (np.sqrt(v) + self.eps) + self.wd * self.values[i]
            norm, up_norm = np.linalg.norm(self.values[i]), np.linalg.norm(up)
            ratio = norm / up_norm if norm > 0 and up_norm > 0 else 1.0
            self.values[i] = self.values[i] - self.lr * ratio * up


# The last parameter and its first gradients are 0, where LAMB has no ratio.
STARTS = [numbers(3, seed=20), numbers(2, 2, seed=21), torch.zeros(2)]


def make_grads(step):
    grads = [
        numbers(*start.shape, seed=30 + 3 * step + i) for i, start in enumerate(STARTS)
    ]
    if step == 0:
        grads[2] = torch.zeros(2)
    return grads


def make_optimizer(name, options, torch_options):
    """`options` under tinygrad's names, `torch_options` under PyTorch's."""
    parameters = [torch.nn.Parameter(start.clone()) for start in STARTS]
    optimizer = getattr(torch.optim, name)(parameters, **torch_options)
    steps = []
    for step in range(NUM_STEPS):
        for parameter, grad in zip(parameters, make_grads(step)):
            parameter.grad = grad
        optimizer.step()
        steps.append([dump(parameter) for parameter in parameters])
    return {"name": name, "options": options, "steps": steps}


def make_lamb(options):
    lamb = Lamb([start.numpy().copy() for start in STARTS], **options)
    steps = []
    for step in range(NUM_STEPS):
        lamb.step([grad.numpy() for grad in make_grads(step)])
        steps.append([dump(torch.tensor(value)) for value in lamb.values])
    return {"name": "LAMB", "options": options, "steps": steps}


def make_optimizers():
    cases = []
    for options in (
        {"lr": 0.1},
        {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.05, "momentum": 0.8, "weight_decay": 0.1},
        {"lr": 0.05, "momentum": 0.8, "weight_decay": 0.1, "nesterov": True},
    ):
        cases.append(make_optimizer("SGD", options, options))
    for options in (
        {"lr": 0.001},
        {"lr": 0.1, "b1": 0.8, "b2": 0.95, "eps": 0.01},
    ):
        torch_options = {
            "lr": options["lr"],
            "betas": (options.get("b1", 0.9), options.get("b2", 0.999)),
            "eps": options.get("eps", 1e-8),
        }
        cases.append(make_optimizer("Adam", options, torch_options))
        cases.append(make_optimizer("AdamW", options, torch_options))
        cases.append(
            make_optimizer(
                "AdamW", {**options, "wd": 0.2}, {**torch_options, "weight_decay": 0.2}
            )
        )
    cases.append(make_lamb({"lr": 0.001}))
    cases.append(make_lamb({"lr": 0.1, "b1": 0.8, "b2": 0.95, "eps": 0.01, "wd": 0.2}))
    return {
        "starts": [dump(start) for start in STARTS],
        "grads": [[dump(grad) for grad in make_grads(i)] for i in range(NUM_STEPS)],
        "cases": cases,
    }


def make_checkpoint():
    """A dict with all that a file may hold; the test knows its values."""
    base = torch.arange(12.0, dtype=torch.float32).reshape(3, 4)
    layer = torch.nn.Linear(2, 1).float()
    layer.weight.data = torch.tensor([[0.5, -1.5]], dtype=torch.float32)
    layer.bias.data = torch.tensor([2.0], dtype=torch.float32)
    types = {
        str(t).split(".")[1]: torch.tensor([0, 1, 1]).to(t)
        for t in (
            torch.bool,
            torch.int8,
            torch.uint8,
            torch.int16,
            torch.int32,
            torch.int64,
            torch.float16,
            torch.bfloat16,
            torch.float32,
            torch.float64,
        )
    }
    return {
        "model": layer.state_dict(),
        "epoch": 3,
        "big": 1 << 80,
        "rate": 0.5,
        "text": "a text",
        "nothing": None,
        "views": [base, base.t(), base[1:, ::2], base[2], base[:1].expand(2, 4)],
        "types": types,
        "scalar": torch.tensor(7),
        "empty": torch.zeros(0, 3, dtype=torch.float32),
        "parameter": torch.nn.Parameter(base[:, 1:3].contiguous()),
        "numbers": {0: torch.ones(1, dtype=torch.float32), "shape": base.shape},
    }


def write_tar(path):
    """The form before PyTorch 0.2, which it reads and does not write any more."""
    base = np.arange(12, dtype=np.float32)
    storages = pickle.dumps(1, 2) + pickle.dumps((7, "cpu", torch.FloatStorage), 2)
    storages += struct.pack("<q", 12) + base.tobytes()
    storages += pickle.dumps([(8, 7, 4, 8)], 2)  # all but the first row
    tensors = pickle.dumps(2, 2)
    for key, storage, shape, strides, offset in (
        (1, 7, (4, 3), (1, 4), 0),
        (2, 8, (2, 2), (4, 2), 1),
    ):
        tensors += pickle.dumps((key, storage, torch.FloatTensor), 2)
        tensors += struct.pack("<i4x2q2qq", 2, *shape, *strides, offset)

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            return value[1] if isinstance(value, list) else None

    value = io.BytesIO()
    Pickler(value, 2).dump({"turned": ["tensor", "1"], "part": ["tensor", "2"]})
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in (
            ("storages", storages),
            ("tensors", tensors),
            ("pickle", value.getvalue()),
        ):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mtime = 0.5  # asks for a header of the format PAX
            tar.addfile(entry, io.BytesIO(content))
    loaded = torch.load(path)
    assert loaded["turned"].tolist() == base.reshape(3, 4).T.tolist()
    assert loaded["part"].tolist() == [[5, 7], [9, 11]]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    values = {
        "layers": make_layers(),
        "batchnorm": [make_batchnorm(True), make_batchnorm(False)],
        "optimizers": make_optimizers(),
    }
    with (folder / "torch_nn_values.json").open("w", encoding="utf-8") as file:
        json.dump(values, file, separators=(",", ":"))
        file.write("\n")
    checkpoint = make_checkpoint()
    torch.save(checkpoint, folder / "torch_zip.pt")
    torch.save(
        checkpoint, folder / "torch_older.pt", _use_new_zipfile_serialization=False
    )
    write_tar(folder / "torch_tar.pt")
    torch.save(torch.nn.Linear(1, 1), folder / "torch_module.pt")


main()
