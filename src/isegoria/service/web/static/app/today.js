// Today: the eye on the record, the drum as a picture, and what this device signs before a draw.
import { ballot } from "./ballot.js";
import { share } from "./sharing.js";
import { about, alarm, api, live, ready, say, watch } from "./shared.js";

const line = (lines, at) => JSON.parse(new TextDecoder().decode(lines[at]));

async function drumOf(lines) {
  const holder = document.querySelector("#drum .drum");
  if (!holder) return;
  const found = lines.map((_, at) => line(lines, at));
  const at = found.findLastIndex((one) => one.line === "draw");
  const draw = found[at], freeze = found.slice(0, at).findLast((one) => one.line === "freeze");
  if (!draw || !freeze || freeze.round !== draw.round) { document.getElementById("drum").hidden = true; return; }
  const { drum } = await import("/verify/drum.js");
  const charter = found.slice(0, at).filter((one) => one.line === "amend" && one.field === "arms").at(-1)?.value ?? found[0].arms;
  const round = { round: draw.round, balls: draw.balls, arms: draw.arms, voices: draw.balls.map((ball) => whose(freeze, ball)) };
  holder.replaceChildren(...drum(freeze, round, charter, document.getElementById("drum").dataset.mine || null));
}

// The pseudonym whose units hold a ball.
function whose(freeze, ball) {
  let end = 0;
  for (let arm = 0; arm < freeze.voices.length; arm += 1) {
    for (const { units, who } of freeze.types) for (const one of who) { end += units[arm]; if (ball < end) return one; }
  }
  return null;
}

let signing = Promise.resolve();
const signs = () => (signing = signing.then(sign, sign)); // one after another: a device says one thing at a time

async function sign() {
  const device = await import("./device.js");
  const said = document.getElementById("device");
  const state = await device.registered();
  if (state === "other") { if (said) said.textContent = say("other_device"); return; }
  const now = await (await fetch(api)).json(); // a round may be over before a slow device has read it
  if (now.phase !== about.phase || now.last?.freeze !== (about.freeze ?? now.last?.freeze)) return;
  if (state !== "mine" || !now.record || now.you?.role !== "member") return;
  const { committed, revealed, signed } = now.you;
  const asked = about.phase === "frozen" && about.source === "group" && !revealed && committed ? "reveal" : "seen";
  if (about.phase === "frozen" && signed && asked === "seen") { if (said) said.textContent = say("signed_seen"); return; }
  const told = await device[asked]();
  if (told.red) alarm();
  if (said) said.textContent = told.ok ? say(asked === "reveal" ? "revealed_now" : "signed_seen") : told.body.error;
  if (about.phase === "collecting" && about.source === "group" && !committed) await device.commit();
}

// Dice: a member types what she saw with her own eyes, and her device signs it, once.
function dice() {
  const form = document.getElementById("seen");
  if (!form) return;
  form.hidden = false;
  form.onsubmit = async (event) => {
    event.preventDefault();
    const device = await import("./device.js");
    const answer = await device.dice(form.elements.value.value.trim());
    document.getElementById("device").textContent = answer.ok ? say("signed_value") : answer.body.error;
  };
}

await ready;
ballot();
const sharing = document.getElementById("share");
if (sharing && navigator.share) {
  sharing.hidden = sharing.parentElement.hidden = false;
  sharing.onclick = () => share({ text: sharing.dataset.text, url: location.origin + location.pathname });
}
if (about.group && !location.hash.includes("k=")) {
  const found = await watch();
  live(() => about.role === "member" && signs());
  if (found) {
    const drum = document.getElementById("drum");
    if (drum?.open) await drumOf(found.lines);
    else drum?.addEventListener("toggle", () => drumOf(found.lines), { once: true });
    if (about.role === "member") { dice(); await signs(); }
  }
}
