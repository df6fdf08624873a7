from .application import create_app as create_app
from .settings import Settings as Settings
