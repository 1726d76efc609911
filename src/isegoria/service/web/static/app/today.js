// Today: the eye on the record, the drum as a picture, and what this device signs before a draw.
import { about, api, linesOf, live, ready, say, unhex, watch } from "./shared.js";

const line = (lines, at) => JSON.parse(new TextDecoder().decode(lines[at]));

async function drumOf(lines) {
  const holder = document.querySelector("#drum .drum");
  if (!holder) return;
  const found = lines.map((_, at) => line(lines, at));
  const at = found.findLastIndex((one) => one.line === "draw");
  const draw = found[at], freeze = found.slice(0, at).findLast((one) => one.line === "freeze");
  if (!draw || freeze.kind !== "fair") { document.getElementById("drum").hidden = true; return; }
  const { drum } = await import("/verify/drum.js");
  const charter = found.slice(0, at).filter((one) => one.line === "amend" && one.field === "arms").at(-1)?.value ?? found[0].arms;
  const round = { round: draw.round, balls: draw.balls, arms: draw.arms, voices: draw.balls.map((ball) => whose(freeze, ball)) };
  holder.replaceChildren(...drum(freeze, round, charter, document.getElementById("drum").dataset.mine || null));
}

// The pseudonym whose units hold a ball; null for exploration.
function whose(freeze, ball) {
  let end = 0;
  for (let arm = 0; arm < freeze.voices.length; arm += 1) {
    for (const { units, who } of freeze.types) for (const one of who) { end += units[arm]; if (ball < end) return one; }
    end += freeze.explore[arm];
    if (ball < end) return null;
  }
  return null;
}

async function signs(record) {
  const device = await import("./device.js");
  const said = document.getElementById("device");
  const state = await device.registered();
  if (state === "other") { if (said) said.textContent = say("other_device"); return; }
  const now = await (await fetch(api)).json(); // a round may be over before a slow device has read it
  if (now.phase !== about.phase || now.last?.freeze !== (about.freeze ?? now.last?.freeze)) return;
  if (about.phase === "frozen" && state === "mine") {
    const told = about.witnessed ? { ok: true } : await device.witness(record, about.freeze);
    said.textContent = told.ok ? say("signed_seen") : told.body.error;
    if (about.source === "group" && !about.revealed && (await device.reveal(record, Number(about.round), about.freeze)).ok) said.textContent = say("revealed_now");
  }
  if (about.phase === "collecting" && about.source === "group" && !about.committed) await device.commit(record, rounds(record) + 1);
}

const rounds = (record) => linesOf(record).map((_, at, all) => line(all, at)).filter((one) => one.line === "freeze").length;

// Dice: a member types what she saw with her own eyes, and her device signs it.
function dice(record) {
  const form = document.getElementById("seen");
  if (!form) return;
  form.hidden = false;
  form.onsubmit = async (event) => {
    event.preventDefault();
    const device = await import("./device.js");
    const typed = form.elements.value.value.trim();
    const numbers = /[\s,.]/.test(typed) ? typed.split(/[\s,.]+/).filter(Boolean).map(Number) : null;
    const source = new TextEncoder().encode(numbers ? numbers.map((n) => `${n}.`).join("") : typed);
    const answer = await device.seen(record, about.freeze, numbers ?? typed, source);
    document.getElementById("device").textContent = answer.ok ? say("signed_value") : answer.body.error;
  };
}

await ready;
if (about.group && !location.hash.includes("k=")) {
  const found = await watch();
  live();
  if (found) {
    const drum = document.getElementById("drum");
    if (drum?.open) await drumOf(found.lines);
    else drum?.addEventListener("toggle", () => drumOf(found.lines), { once: true });
    if (about.role === "member") { dice(found.record); await signs(found.record); }
  }
}
