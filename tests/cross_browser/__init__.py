"""`make browsers`: the pages of a group in Chromium, Firefox and WebKit."""
