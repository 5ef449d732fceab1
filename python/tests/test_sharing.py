"""Memory that tensors and arrays share: the same address, both ways."""

import array
import gc
import mmap
import weakref

import numpy as np
import pytest
from tinygrad_mlir import Error, Tensor, TinyJit, dtypes
from tinygrad_mlir.nn.optim import SGD


def address(x):
    return x.__array_interface__["data"][0]


VIEWS = [np.asarray, np.from_dlpack, lambda x: np.asarray(memoryview(x))]


@pytest.mark.parametrize("shape", [(6,), (2, 3), (1, 1)])
@pytest.mark.parametrize("view", VIEWS)
def test_arrays_of_a_tensor_are_its_memory(type_name, shape, view):
    values = (np.arange(np.prod(shape)) % 2).reshape(shape).astype(type_name)
    x = Tensor(values)
    shown = view(x)
    assert (shown.dtype, shown.shape) == (values.dtype, shape)
    assert shown.flags.writeable
    assert address(shown) == address(np.asarray(x))
    shown[...] = 1
    np.testing.assert_array_equal(x.numpy(), np.ones_like(values))


@pytest.mark.parametrize("share", [Tensor.from_buffer, Tensor.from_dlpack])
def test_a_tensor_of_an_array_is_its_memory(type_name, share):
    values = (np.arange(6) % 2).reshape(2, 3).astype(type_name)
    x = share(values)
    assert (x.shape, x.dtype.np) == ((2, 3), values.dtype)
    assert address(np.asarray(x)) == address(values)
    later = x + x
    values[...] = 1
    assert x.tolist() == [[1] * 3] * 2
    np.testing.assert_array_equal(later.numpy(), values + values)


def test_any_alignment_of_elements_computes():
    values = np.arange(1, 1002, dtype=np.float32)
    for first in range(1, 17):
        part = values[first:]
        x = Tensor.from_buffer(part)
        assert address(np.asarray(x)) == address(part)
        np.testing.assert_allclose((x * 2).numpy(), part * 2)
        np.testing.assert_allclose(x.sum().item(), part.sum(), rtol=1e-5)


def test_memory_that_is_not_aligned_is_refused():
    values = np.frombuffer(bytes(9), np.uint8)[1:].view(np.float32)
    if not values.flags.aligned:
        with pytest.raises(Error, match="aligned to the 4 bytes"):
            Tensor.from_buffer(values)
    assert Tensor(values).shape == (2,)


def test_an_array_keeps_the_memory_of_a_tensor():
    x = Tensor(np.arange(1000.0)) + 1
    shown = np.asarray(x)
    del x
    gc.collect()
    others = [(Tensor(np.zeros(1000)) + i).realize() for i in range(5)]
    np.testing.assert_array_equal(shown, np.arange(1, 1001.0))
    assert len(others) == 5


class Source(np.ndarray):
    """An array that can be watched."""


@pytest.mark.parametrize("share", [Tensor.from_buffer, Tensor.from_dlpack])
def test_a_tensor_keeps_the_memory_of_an_array(share):
    values = np.arange(1000.0).view(Source)
    seen = weakref.ref(values)
    x = share(values)
    y = x + 1
    del values, x
    gc.collect()
    assert seen() is not None
    assert y.numpy()[-1] == 1000
    del y
    gc.collect()
    assert seen() is None


def test_everything_that_shows_a_buffer():
    numbers = array.array("f", [1, 2, 3])
    x = Tensor.from_buffer(numbers)
    numbers[0] = 5
    assert x.tolist() == [5, 2, 3]
    letters = bytearray(b"abc")
    y = Tensor.from_buffer(letters)
    letters[0] = 1
    assert y.tolist() == [1, 98, 99]
    with mmap.mmap(-1, 16) as pages:
        pages[0] = 7
        z = Tensor.from_buffer(pages)
        assert z[0].item() == 7
        del z
        gc.collect()
    assert Tensor.from_buffer(np.float32(3)).item() == 3
    assert Tensor.from_buffer(np.zeros((0, 2))).shape == (0, 2)


def test_read_only_memory_is_never_written():
    values = np.arange(3, dtype=np.float32)
    values.flags.writeable = False
    for share in (Tensor.from_buffer, Tensor.from_dlpack):
        x = share(values)
        for view in VIEWS:
            assert not view(x).flags.writeable
        with pytest.raises(BufferError, match="read-only"):
            x.__dlpack__()
        x.assign(x + 1).realize()
        assert x.tolist() == [1, 2, 3]
        assert np.asarray(x).flags.writeable
    assert values.tolist() == [0, 1, 2]
    assert memoryview(Tensor.from_buffer(b"abc")).readonly


def test_assign_leaves_shared_memory_alone():
    values = np.arange(3, dtype=np.float32)
    x = Tensor.from_buffer(values)
    for step in range(4):
        shown = np.asarray(x)
        before = shown.copy()
        x.assign(x * 2 + 1).realize()
        np.testing.assert_array_equal(shown, before)
        np.testing.assert_array_equal(x.numpy(), before * 2 + 1)
        assert address(np.asarray(x)) != address(shown), step
    assert values.tolist() == [0, 1, 2]


def test_setitem_leaves_shared_memory_alone():
    values = np.arange(4, dtype=np.float32)
    values.flags.writeable = False
    x = Tensor.from_buffer(values)
    x[1] = 7
    x[2:] = Tensor([8.0, 9.0])
    assert x.tolist() == [0, 7, 8, 9]
    assert values.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("capture", [lambda f: f, TinyJit])
def test_training_leaves_shared_memory_alone(capture):
    values = np.array([4, 2], np.float32)
    weight = Tensor.from_buffer(values)
    weight.requires_grad = True
    optimizer = SGD([weight], lr=0.125, momentum=0.5)

    @capture
    def step(x):
        loss = (weight * x).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.realize()

    data = np.ones(2, np.float32)
    Tensor.training = True
    try:
        losses = [step(Tensor.from_buffer(data)).item()]
        for _ in range(5):
            shown = np.asarray(weight)
            before = shown.copy()
            losses.append(step(Tensor.from_buffer(data)).item())
            np.testing.assert_array_equal(shown, before)
            assert not np.array_equal(weight.numpy(), before)
    finally:
        Tensor.training = False
    assert losses[:2] == [20, 11.25]
    assert (values.tolist(), data.tolist()) == ([4, 2], [1, 1])


def test_no_other_tensor_changes():
    x = Tensor([1.0, 2.0, 3.0])
    others = [x + 0, x * 1, x.cast(dtypes.float32) + 0]
    Tensor.corealize(others)
    np.asarray(x)[0] = 9
    np.asarray(others[0])[1] = 8
    assert x.tolist() == [9, 2, 3]
    assert others[0].tolist() == [1, 8, 3]
    assert all(other.tolist() == [1, 2, 3] for other in others[1:])


@pytest.mark.parametrize(
    "values",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.arange(6.0)[::2],
        np.arange(6.0)[::-1],
        np.broadcast_to(np.arange(2.0), (3, 2)),
    ],
)
def test_strides_are_refused_with_a_hint(values):
    for share in (Tensor.from_buffer, Tensor.from_dlpack):
        with pytest.raises(Error, match=r"side by side.*Tensor\(...\) copies them"):
            share(values)
    np.testing.assert_array_equal(Tensor(values).numpy(), values)


def test_axes_of_size_one_have_any_stride():
    values = np.arange(6.0).reshape(1, 6)[:, ::1].T.reshape(6, 1).T
    assert Tensor.from_dlpack(values).tolist() == values.tolist()


def test_what_has_no_type_of_ours_is_refused():
    for values in (np.ones(2, ">f4"), np.ones(2, complex), np.array(["a"])):
        with pytest.raises(TypeError, match="expects elements of bool"):
            Tensor.from_buffer(values)
    with pytest.raises(TypeError, match="kind 5 with 128 bits"):
        Tensor.from_dlpack(np.ones(2, complex))
    with pytest.raises(TypeError, match="capsule"):
        Tensor.from_dlpack(3)


def test_a_capsule_is_used_once():
    x = Tensor([1.0, 2.0])
    capsule = x.__dlpack__(max_version=(1, 0))
    assert Tensor.from_dlpack(capsule).tolist() == [1, 2]
    with pytest.raises(TypeError, match="nobody has used"):
        Tensor.from_dlpack(capsule)
    # One that nobody takes frees what it holds.
    x.__dlpack__()


def test_dlpack_tells_of_the_device():
    x = Tensor([1.0])
    assert x.__dlpack_device__() == (1, 0)
    assert np.from_dlpack(x, device="cpu", copy=True).tolist() == [1]
    with pytest.raises(BufferError, match="is on device"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="no streams"):
        x.__dlpack__(stream=1)

    class Far:
        def __dlpack__(self):
            raise AssertionError("not asked for")

        def __dlpack_device__(self):
            return (2, 1)

    with pytest.raises(BufferError, match=r"device \(2, 1\)"):
        Tensor.from_dlpack(Far())


def test_a_copy_is_one():
    x = Tensor([1.0, 2.0])
    for copied in (x.numpy(), np.array(x), np.asarray(x, np.float64), x.data()):
        np.asarray(copied)[...] = 7
    assert x.tolist() == [1, 2]
    np.from_dlpack(x, copy=True)[...] = 7
    assert x.tolist() == [1, 2]
    with pytest.raises(ValueError, match="copy"):
        x.__array__(np.float64, copy=False)
    assert x.__array__(copy=True).tolist() == [1, 2]


def test_a_file_is_copied(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(np.arange(4, dtype=np.float32).tobytes())
    x = Tensor.empty(4, device=f"DISK:{path}")
    assert np.asarray(x).tolist() == [0, 1, 2, 3]
    with pytest.raises(BufferError, match="memory of the host"):
        memoryview(x)
    with pytest.raises(BufferError, match="DLPack has no device"):
        x.__dlpack_device__()
