from ouroboros.app.ouroboros import Ouroboros as Ouroboros
from ouroboros.app.session import Outcome as Outcome
from ouroboros.app.session import Session as Session
from ouroboros.app.settings import Settings as Settings
from ouroboros.core.errors import Misuse as Misuse
from ouroboros.core.errors import OuroborosError as OuroborosError
from ouroboros.core.events import Envelope as Envelope

__version__: str
