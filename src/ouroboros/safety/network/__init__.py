"""Where a program of ours may go on the network, and the doors that hold it to that.

Judging is pure: ``judge_url`` for an address, ``HostRules`` for lists of hosts, ``addresses`` for what
is no public place. Doing is ``dial``, which connects to the very address that was judged, and ``proxy``.
"""

from ouroboros.safety.network.hosts import HostRules
from ouroboros.safety.network.urls import Judgement, judge_by, judge_host, judge_url

__all__ = ["HostRules", "Judgement", "judge_by", "judge_host", "judge_url"]
