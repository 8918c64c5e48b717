import UPnP
