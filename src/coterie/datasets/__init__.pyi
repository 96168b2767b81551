from .corpus import Corpus as Corpus
from .records import RecordChunk as RecordChunk
from .records import iter_records as iter_records
from .records import make_records as make_records
from .synth import make_synth as make_synth
from .vectors import load_digit_sets as load_digit_sets
from .vectors import make_item_sets as make_item_sets
