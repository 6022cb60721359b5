"""Each kind of sandbox that this machine can make, for tests that hold for all of them."""

from ouroboros.safety.sandbox import Policy, Sandbox
from ouroboros.safety.sandbox.bubblewrap import Bubblewrap
from ouroboros.safety.sandbox.features import Features, features
from ouroboros.safety.sandbox.floor import Floor
from ouroboros.safety.sandbox.namespaces import Namespaces

OFFERED: Features = features(bubblewrap="first")
SEPARATED = [
    *(["namespaces"] if features().namespaces else []),
    *(["bubblewrap"] if OFFERED.launcher else []),
]
"""Those with mounts of their own."""

CAGES = ["landlock", *SEPARATED]


def cage_of(name: str, policy: Policy) -> Sandbox:
    """The sandbox of this kind for a policy."""
    if name.startswith("landlock"):
        return Floor(policy, restores=name == "landlock, restoring")
    if name == "namespaces":
        return Namespaces(policy)
    assert OFFERED.launcher is not None
    return Bubblewrap(policy, OFFERED.launcher)
