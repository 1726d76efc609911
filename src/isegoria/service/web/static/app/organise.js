// The organiser's page: the time zone of this device is proposed, and the page keeps an eye on the record.
import { addFilter } from "./filter.js";
import { pageData, apiUrl, subscribeToChanges, ready, translate, showMissingNumbers, checkHead, runPage, replacePage } from "./group_page.js";

let polling = null;
// Numbers are asked for: who is there is looked up until the time is over, or the round is frozen.
async function pollOpenDevices() {
  const now = await (await fetch(apiUrl)).json(), here = document.getElementById("here");
  if (!here) return;
  if (now.asked_until === null || now.phase !== pageData.phase) { await replacePage(); return; }
  here.textContent = translate("phones_here", { count: now.phones.length });
  document.getElementById("who").textContent = now.phones.join(", ");
  polling = setTimeout(pollOpenDevices, 1500);
}

async function initOrganise() {
  const zone = document.querySelector("#zone[data-guess]");
  if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  for (const row of document.querySelectorAll(".row-fold")) { // a row that somebody opened stays open when the page loads again
    row.addEventListener("toggle", () => row.open && history.replaceState(null, "", `${pageData.here}?row=${row.id.slice(4)}`));
  }
  addFilter(document.querySelector(".people"), document.querySelectorAll(".people > li"), translate("filter_names"));
  clearTimeout(polling);
  if (document.getElementById("phones")) pollOpenDevices();
  if (!pageData.group || location.hash.includes("k=")) return;
  await checkHead();
  const look = async () => showMissingNumbers(await (await fetch(apiUrl)).json());
  subscribeToChanges(look);
  if (document.getElementById("missing")) await look(); // some may have come since the page was made
}

await ready;
await runPage(initOrganise);
