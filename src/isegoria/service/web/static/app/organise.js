// The organiser's page: the time zone of this device is proposed, and the page keeps an eye on the record.
import { about, api, live, ready, say, waitsFor, watch } from "./shared.js";

const zone = document.querySelector("#zone[data-guess]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
for (const row of document.querySelectorAll(".row-fold")) { // a row that somebody opened stays open when the page comes anew
  row.addEventListener("toggle", () => row.open && history.replaceState(null, "", `${about.here}?row=${row.id.slice(4)}`));
}
await ready;
// Numbers are asked for: who is there is looked up until the time is over, or the round is frozen.
const phones = document.getElementById("phones");
async function count() {
  const now = await (await fetch(api)).json();
  if (now.asked_until === null || now.phase !== about.phase) { location.assign(`/g/${about.group}/organise?row=round`); return; }
  document.getElementById("here").textContent = say("phones_here", { count: now.phones.length });
  document.getElementById("who").textContent = now.phones.join(", ");
  setTimeout(count, 1500);
}
if (phones) count();
if (about.group && !location.hash.includes("k=")) {
  await watch();
  const look = async () => waitsFor(await (await fetch(api)).json());
  live(look);
  if (document.getElementById("missing")) await look(); // some may have come since the page was made
}
