"""Layers under tinygrad's names, arguments and defaults.

A layer is an object with tensors as attributes, which programs may replace, and is
called like a function. The names of the attributes are those of PyTorch's modules.
Errors of calls: `Error`, if the input does not have the shape that is given.
"""

from __future__ import annotations

import math

from .. import _tinygrad
from .._tinygrad import Error
from ..tensor import Tensor
from . import optim, state

__all__ = [
    "BatchNorm2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "Embedding",
    "GroupNorm",
    "InstanceNorm",
    "LayerNorm",
    "LayerNorm2d",
    "Linear",
    "optim",
    "state",
]


class Linear:
    """`x.linear(weight.transpose(), bias)`.

    Shapes: weight [out, in], bias [out]; [.., in] gives [.., out]. Both are drawn
    from a uniform distribution with the bound 1/sqrt(in).
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        self.weight = Tensor.kaiming_uniform(out_features, in_features, a=math.sqrt(5))
        bound = 1 / math.sqrt(in_features)
        self.bias: Tensor | None = (
            Tensor.uniform(out_features, low=-bound, high=bound) if bias else None
        )

    def __call__(self, x: Tensor) -> Tensor:
        return x.linear(self.weight.transpose(), self.bias)


class Conv2d:
    """`x.conv2d(weight, bias, ..)`.

    Shapes: weight [out, in/groups, kh, kw], bias [out]; [N, in, H, W] gives
    [N, out, ..]. One number as `kernel_size` holds for both axes, and a tuple of
    another length makes a convolution over as many axes.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | list[int] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        self.kernel_size = (
            (kernel_size, kernel_size)
            if isinstance(kernel_size, int)
            else tuple(kernel_size)
        )
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.groups = groups
        self.weight = self.initialize_weight(out_channels, in_channels, groups)
        bound = 1 / math.sqrt(math.prod(self.weight.shape[1:]))
        self.bias: Tensor | None = (
            Tensor.uniform(out_channels, low=-bound, high=bound) if bias else None
        )

    def __call__(self, x: Tensor) -> Tensor:
        return x.conv2d(
            self.weight,
            self.bias,
            padding=self.padding,
            stride=self.stride,
            dilation=self.dilation,
            groups=self.groups,
        )

    def initialize_weight(
        self, out_channels: int, in_channels: int, groups: int
    ) -> Tensor:
        """Returns the first weight; classes with another one override this."""
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        return Tensor.kaiming_uniform(*shape, a=math.sqrt(5))


def Conv1d(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | list[int] = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
    bias: bool = True,
) -> Conv2d:
    """Makes a Conv2d along one axis: weight [out, in/groups, k], input [N, in, L]."""
    return Conv2d(
        in_channels,
        out_channels,
        (kernel_size,),
        stride,
        padding,
        dilation,
        groups,
        bias,
    )


class ConvTranspose2d(Conv2d):
    """`x.conv_transpose2d(weight, bias, ..)`.

    Shapes: weight [in, out/groups, kh, kw], bias [out]; [N, in, H, W] gives
    [N, out, ..].
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | list[int] = 0,
        output_padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
        )
        self.output_padding = output_padding

    def __call__(self, x: Tensor) -> Tensor:
        return x.conv_transpose2d(
            self.weight,
            self.bias,
            padding=self.padding,
            output_padding=self.output_padding,
            stride=self.stride,
            dilation=self.dilation,
            groups=self.groups,
        )

    def initialize_weight(
        self, out_channels: int, in_channels: int, groups: int
    ) -> Tensor:
        """Returns the first weight, of shape [in, out/groups, ...]."""
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        return Tensor.kaiming_uniform(*shape, a=math.sqrt(5))


def ConvTranspose1d(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] | list[int] = 0,
    output_padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
    bias: bool = True,
) -> ConvTranspose2d:
    """Makes a ConvTranspose2d along one axis: input [N, in, L]."""
    return ConvTranspose2d(
        in_channels,
        out_channels,
        (kernel_size,),
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        bias,
    )


class BatchNorm2d:
    """Normalizes the channels of [N, C, H, W].

    While `Tensor.training` it takes the batch's mean and variance, and brings the
    running ones up to date at the next realization, unless `track_running_stats` is
    false; else it takes the running ones.
    Shapes: all [C], but num_batches_tracked [1].
    """

    def __init__(
        self,
        sz: int,
        eps: float = 1e-5,
        affine: bool = True,
        track_running_stats: bool = True,
        momentum: float = 0.1,
    ) -> None:
        self.eps, self.momentum = eps, momentum
        self.track_running_stats = track_running_stats
        self.weight: Tensor | None = Tensor.ones(sz) if affine else None
        self.bias: Tensor | None = Tensor.zeros(sz) if affine else None
        self.running_mean = Tensor.zeros(sz, requires_grad=False)
        self.running_var = Tensor.ones(sz, requires_grad=False)
        self.num_batches_tracked = Tensor.zeros(1, requires_grad=False)

    def __call__(self, x: Tensor) -> Tensor:
        return _tinygrad.batch_norm2d(
            x,
            self.weight,
            self.bias,
            self.running_mean,
            self.running_var,
            self.num_batches_tracked,
            eps=self.eps,
            momentum=self.momentum,
            track_running_stats=self.track_running_stats,
            training=Tensor.training,
        )


def _scale_channels(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """Returns `x * weight + bias` with these along the axis of channels."""
    if weight is None or bias is None:
        return x
    shape = (1, -1, *[1] * (len(x.shape) - 2))
    return x * weight.reshape(shape) + bias.reshape(shape)


class GroupNorm:
    """Normalizes each of `num_groups` groups of channels of [N, C, ..].

    Shapes: weight and bias are [C].
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
    ) -> None:
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight: Tensor | None = Tensor.ones(num_channels) if affine else None
        self.bias: Tensor | None = Tensor.zeros(num_channels) if affine else None

    def __call__(self, x: Tensor) -> Tensor:
        grouped = x.reshape(x.shape[0], self.num_groups, -1)
        normalized = grouped.layernorm(eps=self.eps).reshape(x.shape)
        return _scale_channels(normalized, self.weight, self.bias)


class InstanceNorm:
    """Normalizes each channel of [N, C, ..] alone.

    Shapes: weight and bias are [C].
    """

    def __init__(
        self, num_features: int, eps: float = 1e-5, affine: bool = True
    ) -> None:
        self.num_features, self.eps = num_features, eps
        self.weight: Tensor | None = Tensor.ones(num_features) if affine else None
        self.bias: Tensor | None = Tensor.zeros(num_features) if affine else None

    def __call__(self, x: Tensor) -> Tensor:
        channels = x.reshape(x.shape[0], self.num_features, -1)
        normalized = channels.layernorm(eps=self.eps).reshape(x.shape)
        return _scale_channels(normalized, self.weight, self.bias)


class LayerNorm:
    """Normalizes the last axes, which are `normalized_shape`, to mean 0 and variance 1.

    Shapes: weight and bias are `normalized_shape`.
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
    ) -> None:
        self.normalized_shape = (
            (normalized_shape,)
            if isinstance(normalized_shape, int)
            else tuple(normalized_shape)
        )
        self.axis = tuple(-1 - i for i in range(len(self.normalized_shape)))
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.weight: Tensor | None = None
        self.bias: Tensor | None = None
        if elementwise_affine:
            self.weight = Tensor.ones(*self.normalized_shape)
            self.bias = Tensor.zeros(*self.normalized_shape)

    def __call__(self, x: Tensor) -> Tensor:
        if self.normalized_shape != tuple(x.shape[-len(self.normalized_shape) :]):
            raise Error(
                f"{type(self).__name__}: expects an input that ends in the axes "
                f"{list(self.normalized_shape)}, got shape {list(x.shape)}"
            )
        x = x.layernorm(eps=self.eps, axis=self.axis)
        return x * self.weight + self.bias if self.elementwise_affine else x


class LayerNorm2d(LayerNorm):
    """Normalizes the channels of [N, C, H, W] at each place."""

    def __call__(self, x: Tensor) -> Tensor:
        return super().__call__(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Embedding:
    """Returns for each index a row of the weight.

    Shapes: weight [vocab_size, embed_size]; [..] of numbers gives
    [.., embed_size]. Floats are truncated.
    """

    def __init__(self, vocab_size: int, embed_size: int) -> None:
        self.vocab_size = vocab_size
        self.weight = Tensor.glorot_uniform(vocab_size, embed_size)

    def __call__(self, idx: Tensor) -> Tensor:
        return _tinygrad.embed(self.weight, idx)
