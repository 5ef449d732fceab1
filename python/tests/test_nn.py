"""Layers, optimizers, and models whose parts are replaced."""

import numpy as np
import pytest
from tinygrad_mlir import Context, GlobalCounters, Tensor, TinyJit, dtypes, nn
from tinygrad_mlir.nn import optim
from tinygrad_mlir.nn.state import get_parameters, get_state_dict


def make(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_linear_multiplies_by_the_transposed_weight():
    layer, x = nn.Linear(3, 2), make(4, 5, 3)
    expected = x @ layer.weight.numpy().T + layer.bias.numpy()
    np.testing.assert_allclose(layer(Tensor(x)).numpy(), expected, atol=1e-5)
    assert nn.Linear(3, 2, bias=False).bias is None
    assert np.abs(layer.weight.numpy()).max() <= 1 / np.sqrt(3)


def test_convolutions_have_the_shapes_of_their_names():
    x = Tensor(make(2, 4, 9))
    assert nn.Conv1d(4, 6, 3, stride=2, padding=1)(x).shape == (2, 6, 5)
    assert nn.ConvTranspose1d(4, 6, 3, stride=2)(x).shape == (2, 6, 19)
    image = Tensor(make(2, 4, 9, 8))
    assert nn.Conv2d(4, 6, (3, 2), groups=2)(image).shape == (2, 6, 7, 7)
    up = nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1)
    assert up(image).shape == (2, 6, 20, 18)
    assert nn.Conv2d(4, 6, 3, groups=2).weight.shape == (6, 2, 3, 3)
    assert up.weight.shape == (4, 6, 3, 3)


@pytest.mark.parametrize("training", [False, True])
def test_batch_norm_follows_tensor_training(training):
    layer, x = nn.BatchNorm2d(3, momentum=0.5), make(4, 3, 2, 2)
    layer.weight, layer.bias = Tensor(make(3, seed=1)), Tensor(make(3, seed=2))
    with Tensor.train(training):
        result = layer(Tensor(x)).numpy()
    axes = (0, 2, 3)
    mean, var = x.mean(axes), x.var(axes)
    used = (mean, var) if training else (np.zeros(3), np.ones(3))
    shape = (1, 3, 1, 1)
    expected = (x - used[0].reshape(shape)) / np.sqrt(used[1].reshape(shape) + 1e-5)
    weight, bias = make(3, seed=1).reshape(shape), make(3, seed=2).reshape(shape)
    np.testing.assert_allclose(result, expected * weight + bias, atol=1e-5)
    if training:
        np.testing.assert_allclose(layer.running_mean.numpy(), mean / 2, atol=1e-6)
        running = (1 + x.var(axes, ddof=1)) / 2
        np.testing.assert_allclose(layer.running_var.numpy(), running, atol=1e-6)
        assert layer.num_batches_tracked.numpy() == [1]
    else:
        assert layer.num_batches_tracked.numpy() == [0]


def test_norms_of_one_example():
    x = make(2, 4, 3, 3)

    def normalize(a, axes):
        mean, var = a.mean(axes, keepdims=True), a.var(axes, keepdims=True)
        return (a - mean) / np.sqrt(var + 1e-5)

    for layer, expected in [
        (nn.GroupNorm(2, 4), normalize(x.reshape(2, 2, 18), 2).reshape(x.shape)),
        (nn.InstanceNorm(4), normalize(x, (2, 3))),
        (nn.LayerNorm((3, 3)), normalize(x, (2, 3))),
        (nn.LayerNorm(3, elementwise_affine=False), normalize(x, 3)),
        (nn.LayerNorm2d(4), normalize(x, 1)),
    ]:
        np.testing.assert_allclose(layer(Tensor(x)).numpy(), expected, atol=1e-4)
    with pytest.raises(AssertionError, match=r"ends in the axes \[5\]"):
        nn.LayerNorm(5)(Tensor(x))


def test_embedding_takes_rows():
    layer = nn.Embedding(5, 3)
    rows = [[0, 4], [2, 2]]
    for dtype in (dtypes.int32, dtypes.float32):
        result = layer(Tensor(rows, dtype=dtype)).numpy()
        np.testing.assert_array_equal(result, layer.weight.numpy()[rows])


class Net:
    def __init__(self):
        self.layers = [nn.Linear(4, 8), Tensor.relu, nn.Linear(8, 1)]

    def __call__(self, x):
        return x.sequential(self.layers)


@pytest.mark.parametrize(
    "make_optimizer",
    [
        lambda p: optim.SGD(p, lr=0.05),
        lambda p: optim.SGD(p, lr=0.02, momentum=0.9, nesterov=True),
        lambda p: optim.Adam(p, lr=0.02),
        lambda p: optim.AdamW(p, lr=0.02),
        lambda p: optim.LAMB(p, lr=0.05),
    ],
)
def test_optimizers_learn_and_compile_once(make_optimizer):
    Tensor.manual_seed(3)
    net = Net()
    optimizer = make_optimizer(get_parameters(net))
    x, y = Tensor(make(32, 4)), Tensor(make(32, 4).sum(1, keepdims=True))
    losses, misses = [], []
    for _ in range(40):
        loss = (net(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        misses.append(_count_compiled())
    assert losses[-1] < losses[0] / 3
    assert misses[-1] == misses[2]


def _count_compiled():
    from tinygrad_mlir import Context

    return Context.get_default().get_statistics().misses


def test_a_step_keeps_what_was_computed_for_it():
    first, second = nn.Linear(8, 8), nn.Linear(8, 4)
    optimizer = optim.Adam(get_parameters([first, second]))
    x = Tensor(np.ones((2, 8), np.float32))
    with Tensor.train():
        out = second(first(x).relu())
        before = out.detach().numpy()
        out = second(first(x).relu())
        loss = (out * out).sum().backward()
        optimizer.step()
        weight = first.weight.numpy()
    GlobalCounters.reset()
    np.testing.assert_array_equal(out.numpy(), before)
    assert GlobalCounters.kernel_count == 0
    # No matrix is multiplied again.
    assert loss.item() == pytest.approx((before * before).sum(), rel=1e-6)
    assert GlobalCounters.kernel_count == 1
    assert (first.weight.numpy() == weight).all()


def test_two_optimizers_and_a_loss_are_one_pass():
    first, second = nn.Linear(8, 8, bias=False), nn.Linear(8, 4, bias=False)
    optimizers = [optim.SGD([layer.weight], lr=0.1) for layer in (first, second)]
    x = Tensor(np.ones((2, 8), np.float32))
    counts, losses = [], []
    with Tensor.train():
        for _ in range(3):
            GlobalCounters.reset()
            loss = second(first(x).relu()).square().sum()
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            losses.append(loss.item())
            counts.append(GlobalCounters.kernel_count)
    # Two products forward, three backward, and the loss.
    assert counts == [counts[0]] * 3 and counts[0] <= 7
    assert losses[0] > losses[1] > losses[2]


def test_a_batch_norm_needs_no_pass_of_its_own():
    layer, norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
    optimizer = optim.SGD(get_parameters([layer, norm]), lr=0.1)
    x = Tensor(np.ones((2, 3, 8, 8), np.float32))
    with Tensor.train():
        for _ in range(3):
            GlobalCounters.reset()
            optimizer.zero_grad()
            loss = norm(layer(x)).square().sum().backward()
            optimizer.step()
            assert GlobalCounters.kernel_count == 0
            loss.realize()
            assert norm.running_mean.lazydata.realized


def test_a_step_reads_memory_of_others_at_once():
    weight = Tensor([1.0], requires_grad=True)
    optimizer = optim.SGD([weight], lr=1.0)
    data = np.array([1.0], np.float32)
    for value in (1.0, 2.0, 3.0):
        data[...] = value
        optimizer.zero_grad()
        (weight * Tensor.from_buffer(data)).sum().backward()
        optimizer.step()
    data[...] = 100
    assert weight.item() == 1 - 1 - 2 - 3


@pytest.mark.parametrize(
    "write",
    [
        lambda a: np.asarray(a).fill(0),
        lambda a: np.asarray(a.detach()).fill(0),
        lambda a: np.copyto(a, 0),
        lambda a: memoryview(a).__setitem__(0, 0),
    ],
)
def test_a_step_reads_memory_before_it_is_shared(write):
    weight, a = Tensor([1.0, 1.0], requires_grad=True), Tensor([3.0, 3.0]).realize()
    optimizer = optim.SGD([weight], lr=1.0)
    (weight * a).sum().backward()
    optimizer.step()
    write(a)
    assert a.tolist()[0] == 0
    assert weight.tolist() == [-2, -2]


def test_a_step_without_a_gradient_changes_nothing():
    # Any iterable will do, such as what yields the parameters of a model.
    params = [Tensor([1.0, 2.0]), Tensor([3.0])]
    for make in (optim.SGD, optim.Adam, optim.LAMB):
        optimizer = make(param for param in params)
        optimizer.zero_grad()
        params[0].square().sum().backward()
        with pytest.raises(AssertionError, match=r"without, of shape \[1\]"):
            optimizer.step()
        assert [param.tolist() for param in params] == [[1, 2], [3]]


def test_steps_that_nobody_looks_at_are_computed_at_the_next_one():
    weight = Tensor([1.0], requires_grad=True)
    for optimizer in (optim.SGD([weight], lr=0.25), optim.Adam([weight], lr=0.25)):
        misses = []
        for _ in range(4):
            optimizer.zero_grad()
            (weight * weight).sum().backward()
            optimizer.step()
            misses.append(Context.get_default().get_statistics().misses)
        # The graph does not grow.
        assert misses[2] == misses[3]
    assert abs(weight.item()) < 1


def test_reading_keeps_what_others_refer_to():
    x, weight = Tensor.ones(4, 4).realize(), Tensor.ones(4, 4).realize()
    for read in (Tensor.numpy, Tensor.tolist, Tensor.data, memoryview):
        hidden = x.matmul(weight)
        assert read((hidden + 1) * 2) is not None
        GlobalCounters.reset()
        assert hidden.tolist()[0] == [4, 4, 4, 4]
        assert GlobalCounters.kernel_count == 0


def test_learning_rates_are_tensors():
    w = Tensor(np.ones(3, np.float32))
    optimizer = optim.SGD([w, w], lr=1.0)
    assert optimizer.params == [w] or len(optimizer.params) == 1
    assert optimizer.lr.shape == (1,)
    for rate, expected in [(0.5, 0.5), (0.25, 0.25)]:
        optimizer.lr.assign(Tensor([rate]))
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
        np.testing.assert_allclose(w.numpy(), np.full(3, expected))
    with pytest.raises(AssertionError):
        optim.SGD([Tensor([1.0], requires_grad=False)])


def test_optimizers_of_the_user():
    class Halving(optim.Optimizer):
        def step(self):
            for t in self.params:
                t.assign(t.detach() * 0.5)
            self.realize()

    w, buffer = Tensor([4.0]), Tensor([1.0], requires_grad=False)
    optimizer = Halving([w, buffer], lr=0)
    assert optimizer.buffers[0] is buffer
    optimizer.step()
    assert w.numpy() == [2]


def test_names_are_those_of_attributes_keys_and_positions():
    net = Net()
    net.parts = {"scale": Tensor([1.0])}
    net.step = TinyJit(net.__call__)
    names = list(get_state_dict(net))
    assert names == [
        "layers.0.weight",
        "layers.0.bias",
        "layers.2.weight",
        "layers.2.bias",
        "parts.scale",
    ]
    assert list(get_state_dict(net, "net.")) == [f"net.{name}" for name in names]
