// Runs ahead of the first paint: where somebody waited for a draw, the page does not show its result before the wheel does.
try {
  if (sessionStorage.getItem(`isegoria waits ${location.pathname.split("/")[2]}`)) document.documentElement.classList.add("awaits");
} catch { /* a browser that keeps nothing shows the result at once */ }
