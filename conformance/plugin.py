"""A plugin of pytest that writes the outcome of each test to $CONFORMANCE_OUTCOMES.

It also stands in for what the tests would download: digits that are made up, and
weights of models as they are initialized.
"""

from __future__ import annotations

import json
import os

# Later words weigh more where the phases of a test differ.
RANKS = ("passed", "skipped", "failed")

outcomes: dict[str, dict[str, str]] = {}


def make_digits(*_args, **_kwargs):
    """Images and labels in the form of MNIST: [n, 784] and [n], uint8."""
    import numpy

    generator = numpy.random.default_rng(0)
    images = generator.integers(0, 256, (2048, 784), dtype=numpy.uint8)
    images[generator.random(images.shape) > 0.2] = 0
    labels = generator.integers(0, 10, 2048, dtype=numpy.uint8)
    return images, labels, images[:512], labels[:512]


def pytest_configure(config):
    for marker in ("exclude_cuda", "exclude_gpu", "exclude_clang", "onnx_coverage"):
        config.addinivalue_line("markers", marker)
    try:
        import extra.datasets
        import extra.models.resnet
    except ImportError as error:
        print("conformance: nothing stands in for downloads:", error)
        return
    extra.datasets.fetch_mnist = make_digits
    extra.models.resnet.ResNet.load_from_pretrained = lambda self: None


def get_reason(report) -> str:
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = str(crash.message if crash else report.longrepr or "").splitlines()
    return next((line.strip() for line in lines if line.strip()), "")[:200]


def pytest_runtest_logreport(report):
    # A failure that the test expects is no answer, as a skipped test.
    outcome = "skipped" if hasattr(report, "wasxfail") else report.outcome
    entry = outcomes.setdefault(report.nodeid, {"outcome": "passed"})
    if RANKS.index(outcome) > RANKS.index(entry["outcome"]):
        entry["outcome"] = outcome
        entry["reason"] = get_reason(report)


def pytest_collectreport(report):
    if report.failed:
        reason = str(report.longrepr).strip().splitlines()[-1][:200]
        print(f"conformance: cannot collect {report.nodeid}: {reason}")


def pytest_sessionfinish(session):
    path = os.environ.get("CONFORMANCE_OUTCOMES")
    if path and not hasattr(session.config, "workerinput"):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(outcomes, file)
