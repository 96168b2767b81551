from .run import Demo as Demo
from .run import MethodQuality as MethodQuality
