"""The schedule of tensors, and how a notebook shows it."""

import re
from html.parser import HTMLParser

from tinygrad_mlir import GlobalCounters, Tensor, compiler


def make():
    x, w = Tensor.rand(8, 16).realize(), Tensor.rand(16, 4).realize()
    return (x @ w).softmax()


def test_a_schedule_lists_kernels_and_runs_none():
    result = make()
    schedule = compiler.schedule(result)
    assert not result.is_realized()
    assert len(schedule) == len(list(schedule)) > 1
    first = schedule[0]
    assert first.name.startswith("r_8_4_16")
    assert (first.flops, first.bytes) == (1024, (8 * 16 + 16 * 4 + 8 * 4) * 4)
    assert "lazy.kernel" in first.code
    assert "func.func private @" + first.name in first.loops
    assert schedule[-1].name == list(schedule)[-1].name
    assert [kernel.name for kernel in schedule[:2]] == [
        schedule[0].name,
        schedule[1].name,
    ]
    text = repr(schedule)
    assert text.startswith(f"Schedule of {len(schedule)} kernels\n")
    assert text.count("\n") == len(schedule)
    # As many kernels run.
    GlobalCounters.reset()
    result.realize()
    assert GlobalCounters.kernel_count == len(schedule)


def test_what_is_computed_takes_no_kernel():
    x = Tensor([1.0, 2.0]).realize()
    assert len(compiler.schedule(x)) == 0
    assert len(compiler.schedule()) == 0
    assert len(compiler.schedule(x, x + 1)) == 1
    assert compiler.schedule(x)._repr_html_().count("<details>") == 0


class Balance(HTMLParser):
    """Checks that elements are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_view_is_valid_and_holds_the_code():
    schedule = compiler.schedule(make())
    page = schedule._repr_html_()
    parser = Balance()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    assert page.count("<details>") == len(schedule)
    for kernel in schedule:
        assert kernel.name in parser.text
        assert kernel.code in parser.text
        assert kernel.loops in parser.text
    # Nothing of the code is markup, and rules stay inside of the view.
    assert "<[8" not in page and "&lt;[" in page
    style = re.search(r"<style>(.*)</style>", page, re.DOTALL).group(1)
    for selector in re.findall(r"^([^{}\s][^{}]*)\{", style, re.MULTILINE):
        assert selector.startswith(".tg-schedule")
