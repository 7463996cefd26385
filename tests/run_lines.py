"""The lit format of tests/: shell commands behind `RUN:`. (In a module of its own, so that lit's workers can import it.)"""

import lit.formats


class RunLines(lit.formats.ShTest):
    """`.test` files always take part (one without a command is an error), other files when they hold `RUN:`."""

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        for test in super().getTestsInDirectory(suite, path_in_suite, lit_config, local_config):
            path = test.getSourcePath()
            if path.endswith(".test"):
                yield test
                continue
            with open(path, "rb") as file:
                if b"RUN:" in file.read():
                    yield test
