"""The audit of a policy: is it fair, to whom not, is it stable, where did each voice go, in numbers and in words."""

from isegoria.auditing.report import Audit, audit

__all__ = ["Audit", "audit"]
