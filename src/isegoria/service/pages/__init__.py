"""Pages of the service: routes, templates, forms and confirmations."""
