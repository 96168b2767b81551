from .link import LinkLoss as LinkLoss
from .mitre import MitreLoss as MitreLoss
from .pair import PairLoss as PairLoss
from .trace import TraceLoss as TraceLoss
