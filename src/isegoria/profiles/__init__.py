"""What the agents prefer: the protocol `Profile`, and `Instance`, which holds mean rewards in memory."""

from isegoria.profiles.instance import AgentTypes, Instance, NashWelfare
from isegoria.profiles.protocol import Profile, StreamedProfile, is_streamed, require_instance

__all__ = [
    "AgentTypes",
    "Instance",
    "NashWelfare",
    "Profile",
    "StreamedProfile",
    "is_streamed",
    "require_instance",
]
