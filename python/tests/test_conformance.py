"""The list of expected failures is the one that the last full run gave."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "conformance"


@pytest.fixture(scope="module")
def run():
    spec = importlib.util.spec_from_file_location("conformance", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def missing(run):
    """The tests of each suite that pass in the reference and not here."""
    return {
        name: {
            test
            for test, entry in tests.items()
            if entry["reference"] == "passed" and entry["outcome"] != "passed"
        }
        for name, tests in run.read_last_run().items()
    }


def test_run_was_of_all_suites(run):
    outcomes = run.read_last_run()
    assert outcomes.keys() == run.SUITES.keys()
    assert sum(len(tests) for tests in outcomes.values()) == 998


def test_each_failure_has_a_reason(run, missing):
    expected = run.read_expected_failures()
    failed = set().union(*missing.values())
    assert all(run.find_reason(test, expected) for test in failed)
    named = failed | {test.partition("::")[0] for test in failed}
    assert expected.keys() <= named
    assert all(len(reason) > 20 for reason in expected.values())


def test_failures_are_few(run, missing):
    counted = run.SUITES.keys() - set(run.APART)
    total = sum(len(run.read_last_run()[name]) for name in counted)
    assert sum(len(missing[name]) for name in counted) <= 0.03 * total
