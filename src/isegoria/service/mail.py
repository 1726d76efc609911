"""Mail by an SMTP server: how it is reached, how a message looks, and sending one. Nothing is stored here."""

from __future__ import annotations

import re
import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

from isegoria.errors import InputError

PATIENCE = 20  # seconds for one message
ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")
"""What passes for an address here: plain letters, one @, a host; nothing that could begin another header."""


@dataclass(frozen=True)
class Smtp:
    """A server that takes mail, `smtp://` (with STARTTLS where it is offered) or `smtps://`, and who mail is from."""

    host: str
    port: int
    sender: str
    tls: bool = False
    user: str | None = None
    password: str | None = None

    @classmethod
    def from_url(cls, url: str, sender: str | None) -> Smtp:
        """The server at `smtp://[USER:PASSWORD@]HOST[:PORT]`.

        >>> Smtp.from_url("smtp://mail.example", "lunch@example.org")
        Smtp(host='mail.example', port=25, sender='lunch@example.org', tls=False, user=None, password=None)
        """
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if host is None or parts.scheme not in ("smtp", "smtps") or parts.path not in ("", "/"):
            raise InputError("--smtp is not an address; expected smtp://HOST[:PORT] or smtps://USER:PASSWORD@HOST.")
        if sender is None or not ADDRESS.fullmatch(sender):
            raise InputError(
                "--mail-from is missing or no address; say from whom the mail is, such as lunch@example.org."
            )
        user, password = (None if one is None else unquote(one) for one in (parts.username, parts.password))
        tls = parts.scheme == "smtps"
        return cls(host, port or (465 if tls else 587 if user else 25), sender, tls, user, password)

    def send(self, message: EmailMessage) -> None:
        """Hand a message over, or raise `OSError` or `smtplib.SMTPException`."""
        context = ssl.create_default_context()
        if self.tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=PATIENCE, context=context)
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=PATIENCE)
        with server:
            server.ehlo()
            if not self.tls and server.has_extn("starttls"):
                server.starttls(context=context)
                server.ehlo()
            if self.user is not None:
                server.login(self.user, self.password or "")
            server.send_message(message)


def message(sender: str, to: str, subject: str, text: str, stop: str) -> EmailMessage:
    """A plain message that whoever gets it can end without logging in, by its link or in her mail program."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = sender, to, subject
    made["Date"], made["Message-ID"] = formatdate(), make_msgid(domain=sender.rpartition("@")[2])
    made["Auto-Submitted"] = "auto-generated"
    made["List-Unsubscribe"] = f"<{stop}>"
    made["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    made.set_content(text)
    return made


def checked_address(text: str) -> str:
    """A mail address, or a sentence why it is none."""
    if not ADDRESS.fullmatch(text):
        raise InputError(f"{text[:60]!r} is no mail address; expected one such as ann@example.org.")
    return text
