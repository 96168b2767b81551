from .run import Demo as Demo
from .run import MethodQuality as MethodQuality
from .warming import Warmed as Warmed
from .warming import warm as warm
