from .application import app as app
from .application import main as main
