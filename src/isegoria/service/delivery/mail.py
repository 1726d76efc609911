"""Mail by SMTP: the server's settings, building a message, and sending it. Nothing is stored here."""

from __future__ import annotations

import re
import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

from isegoria.errors import InputError

SMTP_TIMEOUT_SECONDS = 20  # timeout of the connection, in seconds
MAIL_ADDRESS_PATTERN = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?"
)
"""Accepted mail addresses: ASCII characters, one @ and a host; no character that could start another header."""


@dataclass(frozen=True)
class SmtpServer:
    """Mail server, `smtp://` (with STARTTLS if the server offers it) or `smtps://`, and the sender's address."""

    host: str
    port: int
    sender: str
    tls: bool = False
    user: str | None = None
    password: str | None = None

    @classmethod
    def from_url(cls, url: str, sender: str | None) -> SmtpServer:
        """Parse `smtp://[USER:PASSWORD@]HOST[:PORT]` or `smtps://…`; raise `InputError` if it or `sender` is invalid.

        >>> SmtpServer.from_url("smtp://mail.example", "lunch@example.org")
        SmtpServer(host='mail.example', port=25, sender='lunch@example.org', tls=False, user=None, password=None)
        """
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if host is None or parts.scheme not in ("smtp", "smtps") or parts.path not in ("", "/"):
            raise InputError("--smtp is not an address; expected smtp://HOST[:PORT] or smtps://USER:PASSWORD@HOST.")
        if sender is None or not MAIL_ADDRESS_PATTERN.fullmatch(sender):
            raise InputError(
                "--mail-from is missing or no address; say from whom the mail is, such as lunch@example.org."
            )
        user, password = (None if one is None else unquote(one) for one in (parts.username, parts.password))
        tls = parts.scheme == "smtps"
        return cls(host, port or (465 if tls else 587 if user else 25), sender, tls, user, password)

    def send(self, message: EmailMessage) -> None:
        """Send a message; raise `OSError` or `smtplib.SMTPException` if that fails."""
        context = ssl.create_default_context()
        if self.tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=SMTP_TIMEOUT_SECONDS, context=context)
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=SMTP_TIMEOUT_SECONDS)
        with server:
            server.ehlo()
            if not self.tls and server.has_extn("starttls"):
                server.starttls(context=context)
                server.ehlo()
            if self.user is not None:
                server.login(self.user, self.password or "")
            server.send_message(message)


def build_message(sender: str, to: str, subject: str, text: str, stop: str) -> EmailMessage:
    """Build a plain-text message with one-click unsubscribe headers; `stop` is the unsubscribe URL."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = sender, to, subject
    made["Date"], made["Message-ID"] = formatdate(), make_msgid(domain=sender.rpartition("@")[2])
    made["Auto-Submitted"] = "auto-generated"
    made["List-Unsubscribe"] = f"<{stop}>"
    made["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    made.set_content(text)
    return made


def validate_mail_address(text: str) -> str:
    """Return the text if it is a mail address; raise `InputError` otherwise."""
    if not MAIL_ADDRESS_PATTERN.fullmatch(text):
        raise InputError(f"{text[:60]!r} is no mail address; expected one such as ann@example.org.")
    return text
