"""The commands of ./run name faults in their arguments before they do anything."""

import os
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / "run"


@pytest.mark.parametrize(
    ("arguments", "environment", "told"),
    [
        (["build"], {"JOBS": "abc"}, 'JOBS needs a whole number above 0, not "abc"'),
        (["build", "--test-all-ranks"], {}, 'needs ON or OFF, not ""'),
        (["build", "--test-all-ranks", "maybe"], {}, 'needs ON or OFF, not "maybe"'),
        (["test", "--quick"], {}, "unknown option '--quick'"),
    ],
)
def test_it_is_refused(arguments, environment, told):
    done = subprocess.run(
        [RUN, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert told in done.stderr
