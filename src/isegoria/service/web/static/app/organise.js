// The organiser's page: the time zone of this device is proposed, and the page keeps an eye on the record.
import { about, live, ready, watch } from "./shared.js";

const zone = document.querySelector("#zone[data-guess]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
await ready;
if (about.group && !location.hash.includes("k=")) { await watch(); live(); }
