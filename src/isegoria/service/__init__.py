"""Groups that decide together: the service behind `isegoria serve`."""
