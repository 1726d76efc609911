// Today: the eye on the record, the drum as a picture, and what this device signs before a draw.
import { ballot } from "./ballot.js";
import { moment } from "./moment.js";
import { copy, share } from "./sharing.js";
import { about, alarm, api, clock, live, ready, say, send, settled, unsigned, waitsFor, watch } from "./shared.js";

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
  holder.replaceChildren(...drum(freeze, round, charter, document.getElementById("drum").dataset.mine || null, drumWords(charter)));
}

const drumWords = (arms) => ({
  title: () => say("drum_title"), round: (round) => say("drum_round", { round }), mine: say("drum_mine"), yours: say("drum_yours"),
  members: (count) => (count === 1 ? say("drum_people_one") : say("drum_members", { count })),
  shares: [say("drum_shares"), say("option"), `${say("drum_share")} #`],
  drawn: [say("drum_drawn"), `${say("drum_turn")} #`, say("option"), say("drum_whose"), `${say("drum_place")} #`],
  first: 1, mark: (arm) => JSON.parse(about.marks)[arm] ?? arms[arm][0],
});

// The pseudonym whose units hold a ball.
function whose(freeze, ball) {
  let end = 0;
  for (let arm = 0; arm < freeze.voices.length; arm += 1) {
    for (const { units, who } of freeze.types) for (const one of who) { end += units[arm]; if (ball < end) return one; }
  }
  return null;
}

// -- what this device signs, and what it may say of the draw ------------------------------------------------------------

const BEAT = 3000; // milliseconds
const asked = (now) => now.asked_until !== null && now.source === "group";
let attending = Promise.resolve();
const attends = () => (attending = attending.then(attend, attend)); // one after another: a device says one thing at a time
const UNSIGNED = { other: "other_device", silent: "device_silent", forgets: "device_forgets", sent: "device_key_waits" };
let answered = false; // what somebody was answered here stands until the page is shown anew
const shown = (id, ...parts) => document.getElementById(id)?.replaceChildren(...parts);

async function attend() {
  const [device, proof] = await Promise.all([import("./device.js"), import("./proof.js")]);
  const state = await device.registered();
  if (state !== "mine" && state !== "sent") shown("device", say(UNSIGNED[state]));
  const now = await (await fetch(api)).json();
  waitsFor(now);
  if (!now.record || now.you?.role !== "member") return;
  let looked = null;
  try {
    looked = await device.look();
  } catch (refusal) {
    if (!refusal.why) throw refusal;
    refused(refusal, device);
    return;
  }
  const wanted = state === "mine" ? device.wanted(looked.record) ?? (asked(now) ? "commit" : null) : null;
  const told = wanted ? await device[wanted](looked) : { ok: true };
  if (wanted === "commit") setTimeout(attends, BEAT); // while the number is held, this page says that it is still here
  const { page } = looked.record;
  if (!answered && (page || (state === "mine" && told.ok))) shown("device"); // what this device does stands with the proof
  if (wanted === "commit" && told.ok) shown("device", say("number_held"));
  if (!told.ok && (told.red || told.leaf || !page)) refused(told, device); // else the page's own sentence says why
  const own = device.memory(), why = told.ok ? null : told.leaf ? say("device_question") : say(told.why, told.values);
  const has = own?.says.some((one) => one.freeze !== null && one.freeze === page?.name);
  if (page) shown("proof", proof.waiting(page, now.seen, has ? null : why ?? say(UNSIGNED[state] ?? (page.kind === "group" ? "number_none" : "device_key_waits"))));
  const last = page || !own ? null : await proof.drawn(looked, own, now.seen);
  if (last) Object.assign(document.getElementById("proof")?.dataset ?? {}, { state: last.state });
  if (last) shown("proof", last.text);
}

/** Nothing was signed: the page warns, asks whether a rating was hers, or says why. */
function refused({ why, values, red, leaf }, device) {
  if (red) { alarm(say(why, values)); return; }
  if (!leaf) { shown("device", unsigned(say(why, values))); return; }
  const time = clock(leaf.at);
  const names = JSON.parse(about.arms), rated = leaf.values.flatMap((value, arm) => (value === null ? [] : [`${names[arm]} ${value}`])).join(", ");
  const button = (word, act) => Object.assign(document.createElement("button"), { type: "button", textContent: say(word), onclick: act });
  shown("device", `${say("device_elsewhere", { rated, time })} `,
    button("yes", () => { device.owned(leaf); attends(); }), " ", button("no", () => alarm(say("device_not_mine"))));
}

/** Whether this device has the member's key, and signs what she tells. */
const signs = () => own !== null && about.key === own.memory()?.key && !own.memory().silent;

/** Tell ratings of the options, signed: the whole row, in which what no form shows now stays as this device told it last.
 * Options that came meanwhile make another row, which is looked up and signed once more. */
async function tellAll(values) {
  for (let names = JSON.parse(about.arms); ;) {
    const before = own.memory().told.findLast((one) => one.round === null)?.values ?? [];
    const gone = (arm) => names[arm] === `(withdrawn ${arm})`;
    const text = (name, arm) => (gone(arm) ? null : name in values ? (values[name] === null ? null : String(values[name])) : before[arm] ?? null);
    const row = names.map(text), kept = names.flatMap((name, arm) => (gone(arm) ? [] : [[name, row[arm] === null ? null : Number(row[arm])]]));
    const answer = await own.rate(null, null, row, Object.fromEntries(kept));
    const now = answer.status === 400 ? (await (await fetch(api)).json()).arms : names;
    if (JSON.stringify(now) === JSON.stringify(names)) return answer;
    names = now;
  }
}

// Ratings are signed where this device has the key; else, and without a script, the form goes as it is and is marked unsigned.
function rates() {
  for (const form of document.querySelectorAll("form.rate:not(.saves)")) {
    form.onsubmit = (event) => {
      if (!signs()) return;
      event.preventDefault();
      tell(form);
    };
  }
}

async function tell(form) {
  const names = JSON.parse(about.arms), given = new FormData(form), number = (name) => (given.has(name) ? Number(given.get(name)) : null);
  const row = new Array(Number(form.dataset.of ?? names.length)).fill(null), values = {};
  for (const [field, value] of given) {
    const arm = /^arm(\d+)$/.exec(field)?.[1];
    if (arm !== undefined && Number(arm) < names.length) [row[arm], values[names[arm]]] = value === "" ? [null, null] : [value, Number(value)];
  }
  const answer = form.elements.round ? await own.rate(number("round"), number("slot"), row, values) : await tellAll(values);
  if (answer.ok) location.assign(`/g/${about.group}?said=1`);
  else form.submit(); // the server says why, or takes it unsigned
}

// Dice: a member types what she saw with her own eyes, and her device signs it, once.
function dice() {
  const form = document.getElementById("seen");
  if (!form) return;
  form.hidden = false;
  const since = own.memory()?.says.find((one) => one.freeze === about.freeze)?.at ?? Date.now() / 1000;
  document.getElementById("first").textContent = say("dice_first", { time: clock(since) });
  form.onsubmit = async (event) => {
    event.preventDefault();
    answered = true;
    const told = await own.dice(form.elements.value.value.trim());
    if (!told.ok) { refused(told, own); return; }
    settled();
    shown("device", say("signed_value"));
  };
}

function silences() {
  const box = document.getElementById("silent");
  if (!box) return;
  box.checked = own.memory()?.silent ?? false;
  box.closest("label").hidden = false;
  box.onchange = () => { own.silence(box.checked); attends(); };
}

moment();
let own = null; // this device, once it is known that the page is a member's
await ready;
let begun = null;
const started = new Promise((go) => { begun = go; }); // whose device this is, is known once it has looked for the first time
ballot(async (values) => {
  await started;
  return signs() ? tellAll(values) : send("ratings", { round: null, slot: null, values });
});
const sharing = document.getElementById("share");
if (sharing && navigator.share) {
  sharing.hidden = sharing.parentElement.hidden = false;
  sharing.onclick = () => share({ text: sharing.dataset.text, url: location.origin + location.pathname });
}
const remind = document.getElementById("remind");
if (remind) {
  remind.parentElement.hidden = false;
  remind.onclick = async () => {
    const text = remind.dataset.text, url = location.origin + location.pathname, status = remind.nextElementSibling;
    if (navigator.share) await share({ text, url });
    else status.textContent = say((await copy(`${text} ${url}`)) ? "copied" : "copy_by_hand");
  };
}
if (about.group && !location.hash.includes("k=")) {
  if (about.role === "member") own = await import("./device.js");
  const found = await watch().catch(() => null); // the server does not answer now: the page lives on, and looks again
  live(() => own && attends());
  if (found) {
    const drum = document.getElementById("drum");
    if (drum?.open) await drumOf(found.lines);
    else drum?.addEventListener("toggle", () => drumOf(found.lines), { once: true });
    if (own) { rates(); dice(); silences(); await attends().catch(begun); }
  }
}
begun();
