"""Labels of devices: what people recognise a device by."""

from __future__ import annotations

import re

BROWSER_NAMES = (("Firefox", "Firefox"), ("Edg", "Edge"), ("OPR", "Opera"), ("Chrome", "Chrome"), ("Safari", "Safari"))
SYSTEM_NAMES = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


def describe_device(agent: str) -> str:
    """Return a label by which people recognise a device: only the browser and the operating system.

    >>> describe_device("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0")
    'Firefox, Android'
    """
    found = [
        next((name for mark, name in known if re.search(mark, agent)), "") for known in (BROWSER_NAMES, SYSTEM_NAMES)
    ]
    return ", ".join(filter(None, found)) or "a program"
