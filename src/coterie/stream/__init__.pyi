from .candidates import EveryEarlier as EveryEarlier
from .candidates import Latest as Latest
from .candidates import LatestInTime as LatestInTime
from .candidates import LatestOfKeys as LatestOfKeys
from .candidates import NearestOfLatest as NearestOfLatest
from .online import Assignment as Assignment
from .online import RunnerUp as RunnerUp
from .online import Stream as Stream
