"""The letters that members get by mail: an invitation with her own link, that an answer is missing, and the result."""

from __future__ import annotations

from isegoria.record.group import Group
from isegoria.service.sentences import sentence, wanted
from isegoria.service.store import Contact
from isegoria.service.web.words import speaker


def letter_text(
    group: Group, key: str, contact: Contact, site: str, now: int, link: str | None
) -> tuple[str, str, str]:
    """(subject, text, address that ends this mail) of a letter. Only an invitation holds a secret, and only hers.

    `link` is the secret of her private link while nobody has opened it.
    """
    say, title = speaker(contact.language), group.terms["title"]
    page, stop = f"{site}/g/{group.address}", f"{site}/stop/{contact.stop}"
    kind = key.partition(":")[0]
    if kind == "invite":
        subject = say("mail_invite_subject", title=title)
        told = say("mail_invite", name=group.name(contact.number), title=title)
        lines = [told, f"{page}#k={link}" if link else page, say("mail_invite_private") if link else ""]
    elif kind == "ask":
        subject, lines = say("calendar_asks", title=title), [wanted(group, now, say), page]
    else:
        told = sentence(group, now, say)
        subject, lines = say("mail_result_subject", title=title), [told, page]
    return subject, "\n\n".join([*filter(None, lines), "-- \n" + say("mail_stop", stop=stop)]) + "\n", stop
