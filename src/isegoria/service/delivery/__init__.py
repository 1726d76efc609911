"""What the service sends: mail, webhooks, calendar feeds, and the outbox that delivers them."""
