// Where the server cannot be reached, a page says so and opens again by itself; nothing else is kept or answered here.
const CACHE = "isegoria offline 1", PAGE = "/offline";
const PARTS = ["/static/tokens.css", "/static/isegoria.css", "/static/app/offline.js"];

addEventListener("install", (event) => { event.waitUntil(caches.open(CACHE).then((kept) => kept.addAll([PAGE, ...PARTS]))); skipWaiting(); });
addEventListener("fetch", (event) => {
  const { request } = event, isPart = PARTS.includes(new URL(request.url).pathname);
  if (request.method !== "GET" || (request.mode !== "navigate" && !isPart)) return;
  event.respondWith(fetch(request).catch(async () => (await caches.match(isPart ? request : PAGE)) ?? Response.error()));
});
