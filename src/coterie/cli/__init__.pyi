from .application import app as app
from .starting import main as main
