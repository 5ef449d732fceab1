"""A lit test format that runs each test once per device.

It is a module, not a part of a lit configuration, because lit hands tests and
their format to worker processes, which import it by name.
"""

import copy
import os

import lit.formats
import lit.Test


class DeviceTest(lit.Test.Test):
    """A test file on one device: `tinygrad :: Integration/add.mlir (CPU)`."""

    def __init__(self, test, device):
        super().__init__(test.suite, test.path_in_suite, on_device(test.config, device))
        self.device = device

    def getFullName(self):
        return f"{super().getFullName()} ({self.device})"

    def getExecPath(self):
        # Temporary files (%t) of two devices must not be the same.
        folder, name = os.path.split(super().getExecPath())
        return os.path.join(folder, self.device, name)


def on_device(config, device):
    """A copy of `config` with %device and the feature `device-cpu`, say."""
    config = copy.copy(config)
    config.substitutions = [*config.substitutions, ("%device", device)]
    config.available_features = {
        *config.available_features,
        f"device-{device.lower()}",
    }
    return config


class DeviceFormat(lit.formats.ShTest):
    """Shell tests, each expanded to one test per device of `devices`."""

    def __init__(self, devices):
        super().__init__(execute_external=False)
        self.devices = devices

    def getTestsForPath(self, *arguments):
        for test in super().getTestsForPath(*arguments):
            for device in self.devices:
                yield DeviceTest(test, device)
