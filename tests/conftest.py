"""What all tests share: Hypothesis without chance, clock or memory."""

from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]  # only the outermost conftest may name plugins

settings.register_profile(
    "hooktwin",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("hooktwin")
