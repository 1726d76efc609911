// A page is to be seen, and of use, without a script: its own, named behind the ?, comes once something is painted.
// A page in the background paints nothing, and does not wait.
const page = new URL(import.meta.url).search.slice(1);

await new Promise((go) => {
  if (document.hidden || !PerformanceObserver.supportedEntryTypes?.includes("paint")) { go(); return; }
  new PerformanceObserver((list) => list.getEntriesByName("first-contentful-paint").length && go()).observe({ type: "paint", buffered: true });
  setTimeout(go, 3000);
});
await import(`./${page}.js`);
