// A page that answers a form stands in the history under the address of its group's page, so that *Back* sends nothing again.
history.replaceState(null, "", document.body.dataset.here);
