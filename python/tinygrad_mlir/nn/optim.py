"""Optimizers under tinygrad's names, arguments and defaults.

A step is one graph, which is compiled at the first step and found again at all
others: the learning rate and the number of steps are tensors.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from .. import _tinygrad
from ..dtype import DType, dtypes
from ..tensor import Tensor


class Optimizer:
    """What optimizers share; subclasses have a method `step`.

    Tensors whose gradients are not specified are asked for theirs. `params` are
    those that have one, each once, and `buffers` the others, which are realized
    with them. `lr` is a tensor of shape [1], which may be assigned at any time.
    Errors: AssertionError if no tensor has a gradient.
    """

    def __init__(self, params: Iterable[Tensor], lr: float) -> None:
        params = list(params)
        for x in params:
            if x.requires_grad is None:
                x.requires_grad = True
        self.params: list[Tensor] = _dedup([x for x in params if x.requires_grad])
        if not self.params:
            raise AssertionError("optimizer must have at least one param")
        self.device = self.params[0].device
        self.buffers: list[Tensor] = _dedup([x for x in params if not x.requires_grad])
        self.lr = self._make_number(lr, dtypes.float32)
        # Else the first step would compute them again, in a graph of its own.
        Tensor.corealize([*self.params, *self.buffers, self.lr])

    def zero_grad(self) -> None:
        """Forgets the gradients."""
        for param in self.params:
            param.grad = None

    def realize(self, extra: Sequence[Tensor] | None = None) -> None:
        """Computes the parameters, the buffers and `extra` in one graph."""
        Tensor.corealize([*(extra or ()), *self.params, *self.buffers])

    def _realize_later(self, extra: Sequence[Tensor]) -> None:
        """Computes them in the graph of what is realized next, such as the loss.

        So two optimizers and a loss that is read need one pass over the model.
        """
        tensors = [*extra, *self.params, *self.buffers]
        if "OPT" in os.environ:
            Tensor.corealize(tensors)
        else:
            _tinygrad.realize_later(tensors)

    def _realize_last(self, extra: Sequence[Tensor]) -> None:
        """Computes what nobody has asked for since the last step.

        The buffers have new values already, such as the means of a batch norm.
        """
        Tensor.corealize([*self.params, *extra])

    def _make_number(self, value: float, dtype: DType) -> Tensor:
        """Makes a tensor of shape [1] that steps read or assign."""
        return Tensor(
            [value], dtype=dtype, requires_grad=False, device=self.device
        ).contiguous()

    def _make_state(self) -> list[Tensor]:
        """Makes a tensor of zeros, with a buffer of its own, for each parameter."""
        state = [
            Tensor.zeros(
                *t.shape, device=t.device, dtype=t.dtype, requires_grad=False
            ).contiguous()
            for t in self.params
        ]
        Tensor.corealize(state)
        return state


class SGD(Optimizer):
    """Stochastic gradient descent.

    `b` becomes momentum*b + g, where g is the gradient + weight_decay*parameter, and
    the parameter loses lr*b, or with `nesterov` lr*(g + momentum*b).
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 0.001,
        momentum: float = 0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(params, lr)
        self.momentum, self.wd, self.nesterov = momentum, weight_decay, nesterov
        self.b = self._make_state() if momentum else []

    def step(self) -> None:
        """Changes the parameters by their gradients.

        Errors: AssertionError if a parameter has no gradient.
        """
        self._realize_last(self.b)
        # All of them before the first parameter changes.
        grads = [_get_grad(t) for t in self.params]
        for i, (t, g) in enumerate(zip(self.params, grads)):
            if self.wd:
                g = g + self.wd * t.detach()
            if self.momentum:
                self.b[i].assign(self.momentum * self.b[i] + g)
                g = g + self.momentum * self.b[i] if self.nesterov else self.b[i]
            t.assign(t.detach() - (g * self.lr).cast(t.dtype))
        self._realize_later(self.b)


class LAMB(Optimizer):
    """Adam with decoupled weight decay, whose steps are scaled per parameter.

    The factor is the ratio of the norms of the parameter and of the step, where
    neither is 0; with `adam` it is 1. `t` counts the steps.
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-6,
        wd: float = 0.0,
        adam: bool = False,
    ) -> None:
        super().__init__(params, lr)
        self.b1, self.b2, self.eps, self.wd, self.adam = b1, b2, eps, wd, adam
        self.t = self._make_number(0, dtypes.int32).realize()
        self.m, self.v = self._make_state(), self._make_state()

    def step(self) -> None:
        """Changes the parameters by their gradients.

        Errors: AssertionError if a parameter has no gradient.
        """
        self._realize_last([self.t, *self.m, *self.v])
        grads = [_get_grad(t) for t in self.params]
        self.t.assign(self.t + 1)
        # By themselves: else each element would compute the powers anew. In
        # float64, since 1 - b is small in the first steps.
        t = self.t.cast(dtypes.float64)
        first = (1 / (1 - self.b1**t)).cast(dtypes.float32)
        second = (1 / (1 - self.b2**t)).cast(dtypes.float32)
        Tensor.corealize([self.t, first, second])
        for i, t in enumerate(self.params):
            g = grads[i]
            self.m[i].assign(self.b1 * self.m[i] + (1.0 - self.b1) * g)
            self.v[i].assign(self.b2 * self.v[i] + (1.0 - self.b2) * (g * g))
            up = (self.m[i] * first) / ((self.v[i] * second).sqrt() + self.eps)
            if self.wd:
                up = up + self.wd * t.detach()
            if not self.adam:
                up = up * _make_trust_ratio(t.detach(), up)
            t.assign(t.detach() - (self.lr * up).cast(t.dtype))
        self._realize_later([self.t, *self.m, *self.v])


def AdamW(
    params: Iterable[Tensor],
    lr: float = 0.001,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    wd: float = 0.01,
) -> LAMB:
    """Adam with decoupled weight decay."""
    return LAMB(params, lr, b1, b2, eps, wd, adam=True)


def Adam(
    params: Iterable[Tensor],
    lr: float = 0.001,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
) -> LAMB:
    """AdamW without weight decay."""
    return LAMB(params, lr, b1, b2, eps, 0.0, adam=True)


def _dedup(tensors: list[Tensor]) -> list[Tensor]:
    return list({id(x): x for x in tensors}.values())


def _get_grad(t: Tensor) -> Tensor:
    if t.grad is None:
        raise AssertionError(
            f"expects every parameter to have a gradient, got one without, of "
            f"shape {list(t.shape)}"
        )
    return t.grad.detach()


def _make_trust_ratio(value: Tensor, up: Tensor) -> Tensor:
    """Returns the ratio of the norms of `value` and `up`, 1 where one is 0."""
    norm, up_norm = value.square().sum().sqrt(), up.square().sum().sqrt()
    return (norm > 0).where((up_norm > 0).where(norm / up_norm, 1.0), 1.0)
