// Today: the eye on the record, the drum as a picture, and what this device signs before a draw.
import { initBallot } from "./ballot.js";
import { copy, share } from "./sharing.js";
import { pageData, showAlarm, apiUrl, formatClock, subscribeToChanges, ready, translate, send, clearUnsavedInput, explainNoSignature, showMissingNumbers, checkHead, runPage, fetchView } from "./group_page.js";

const line = (lines, at) => JSON.parse(new TextDecoder().decode(lines[at]));

async function showDrum(lines) {
  const holder = document.querySelector("#drum .drum");
  if (!holder) return;
  const found = lines.map((_, at) => line(lines, at));
  const at = found.findLastIndex((one) => one.line === "draw");
  const draw = found[at], freeze = found.slice(0, at).findLast((one) => one.line === "freeze");
  if (!draw || !freeze || freeze.round !== draw.round) { document.getElementById("drum").hidden = true; return; }
  const { renderDrum: drum } = await import("/verify/drum.js");
  const charter = found.slice(0, at).filter((one) => one.line === "amend" && one.field === "arms").at(-1)?.value ?? found[0].arms;
  const round = { round: draw.round, balls: draw.balls, arms: draw.arms, voices: draw.balls.map((ball) => findPseudonym(freeze, ball)) };
  holder.replaceChildren(...drum(freeze, round, charter, document.getElementById("drum").dataset.mine || null, makeDrumLabels(charter)));
}

const makeDrumLabels = (arms) => ({
  title: () => translate("drum_title"), round: (round) => translate("drum_round", { round }), mine: translate("drum_mine"), yours: translate("drum_yours"),
  members: (count) => (count === 1 ? translate("drum_people_one") : translate("drum_members", { count })),
  shares: [translate("drum_shares"), translate("option"), `${translate("drum_share")} #`],
  drawn: [translate("drum_drawn"), `${translate("drum_turn")} #`, translate("option"), translate("drum_whose"), `${translate("drum_place")} #`],
  first: 1, mark: (arm) => JSON.parse(pageData.marks)[arm] ?? arms[arm][0],
});

// The pseudonym whose units hold a ball.
function findPseudonym(freeze, ball) {
  let end = 0;
  for (let arm = 0; arm < freeze.arm_units.length; arm += 1) {
    for (const { units, pseudonyms: who } of freeze.types) for (const one of who) { end += units[arm]; if (ball < end) return one; }
  }
  return null;
}

// -- what this device signs, and what it may say of the draw ------------------------------------------------------------

const PRESENCE_INTERVAL_MS = 3000, RETRY_MS = 2000, MAX_RETRY_MS = 60000, MAX_NAMES_ASKED = 6, MAX_TILES_UNSEARCHED = 12; // milliseconds; options
const isCommitmentOpen = (now) => now.asked_until !== null && now.source === "commit_reveal";
let signing = Promise.resolve(), signTimer = null, signFailures = 0;
const scheduleSigning = () => (signing = signing.then(signOrRetry, signOrRetry)); // one after another: a device says one thing at a time

/** Sign what is open; where the server did not answer, or somebody was quicker, it is done again. */
async function signOrRetry() {
  const isDone = await signOpenPage().catch((fault) => {
    if (!(fault instanceof TypeError)) throw fault; // fetch never arrived
    return false;
  });
  clearTimeout(signTimer);
  signFailures = isDone === false ? signFailures + 1 : 0;
  if (signFailures) signTimer = setTimeout(scheduleSigning, Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (signFailures - 1)));
}

const UNSIGNED_MESSAGES = { other: "other_device", silent: "device_silent", forgets: "device_forgets", sent: "device_key_waits" };
let hasAnswered = false; // what somebody was answered here stands until the page is shown anew
const setContent = (id, ...parts) => document.getElementById(id)?.replaceChildren(...parts);

async function signOpenPage() {
  const [device, proof] = await Promise.all([import("./device.js"), import("./proof_status.js")]);
  const state = await device.registerKey();
  if (state !== "mine" && state !== "sent") setContent("device", translate(UNSIGNED_MESSAGES[state]));
  const now = await fetchView();
  showMissingNumbers(now);
  if (!now.record || now.you?.role !== "member") return;
  let looked = null;
  try {
    looked = await device.fetchVerifiedRecord();
  } catch (refusal) {
    if (!refusal.messageKey) throw refusal;
    showSigningError(refusal, device);
    return;
  }
  const wanted = state === "mine" ? device.findNextStatement(looked.record) ?? (isCommitmentOpen(now) ? "commit" : null) : null;
  const told = wanted ? await { seen: device.acknowledge, commit: device.commitNumber, reveal: device.revealNumber }[wanted](looked) : { ok: true };
  if (wanted === "commit") setTimeout(scheduleSigning, PRESENCE_INTERVAL_MS); // while the number is held, this page says that it is still here
  const { page } = looked.record;
  if (!hasAnswered && (page || (state === "mine" && told.ok))) setContent("device"); // what this device does stands with the proof
  if (wanted === "commit" && told.ok) setContent("device", translate("number_held"));
  if (!told.ok && (told.alarm || told.leaf || !page)) showSigningError(told, device); // else the page's own sentence says why
  const own = device.loadMemory(), why = told.ok ? null : told.leaf ? translate("device_question") : translate(told.messageKey, told.values);
  const has = own?.statements.some((one) => one.freeze !== null && one.freeze === page?.name);
  if (page) setContent("proof", proof.describeOpenRound(page, now.seen, has ? null : why ?? translate(UNSIGNED_MESSAGES[state] ?? (page.kind === "commit_reveal" ? "number_none" : "device_key_waits"))));
  const last = page || !own ? null : await proof.describeLastDraw(looked, own, now.seen);
  if (last) Object.assign(document.getElementById("proof")?.dataset ?? {}, { state: last.state });
  if (last) setContent("proof", last.text);
  return !told.isTransient;
}

/** Nothing was signed: the page warns, asks whether a rating was hers, or says why. */
function showSigningError({ messageKey, values, alarm, leaf }, device) {
  if (alarm) { showAlarm(translate(messageKey, values)); return; }
  if (!leaf) { setContent("device", explainNoSignature(translate(messageKey, values))); return; }
  const time = formatClock(leaf.at);
  const names = JSON.parse(pageData.arms), top = Math.max(...leaf.values.map(Number)); // what is unrated counts as 0 here
  const best = names.filter((_, arm) => leaf.values[arm] !== null && Number(leaf.values[arm]) === top);
  const rated = best.length > MAX_NAMES_ASKED ? `${best.slice(0, MAX_NAMES_ASKED).join(", ")} …` : best.join(", ");
  const button = (word, act) => Object.assign(document.createElement("button"), { type: "button", textContent: translate(word), onclick: act });
  setContent("device", `${translate("device_elsewhere", { rated, time })} `,
    button("yes", () => { device.acceptRating(leaf); scheduleSigning(); }), " ", button("no", () => showAlarm(translate("device_not_mine"))));
}

/** Whether this device has the member's key, and signs what she tells. */
const canSign = () => device !== null && pageData.key === device.loadMemory()?.key && !device.loadMemory().silent;

/** Tell ratings of the options, signed: the whole row, in which what no form shows now stays as this device told it last.
 * Options that came meanwhile make another row, which is looked up and signed once more. */
async function submitAllRatings(values) {
  for (let names = JSON.parse(pageData.arms); ;) {
    const before = device.loadMemory().sentRatings.findLast((one) => one.round === null)?.values ?? [];
    const gone = (arm) => names[arm] === `(withdrawn ${arm})`;
    const text = (name, arm) => (gone(arm) ? null : name in values ? (values[name] === null ? null : String(values[name])) : before[arm] ?? null);
    const row = names.map(text), kept = names.flatMap((name, arm) => (gone(arm) ? [] : [[name, row[arm] === null ? null : Number(row[arm])]]));
    const answer = await device.submitRatings(null, null, row, Object.fromEntries(kept));
    const now = answer.status === 400 ? (await (await fetch(apiUrl)).json()).arms : names;
    if (JSON.stringify(now) === JSON.stringify(names)) return answer;
    names = now;
  }
}

// Ratings are signed where this device has the key; else, and without a script, the form goes as it is and is marked unsigned.
function initRatingForms() {
  for (const form of document.querySelectorAll("form.rate:not(.saves)")) {
    form.onsubmit = (event) => {
      if (!canSign()) return;
      event.preventDefault();
      submitRatingForm(form);
    };
  }
}

async function submitRatingForm(form) {
  const names = JSON.parse(pageData.arms), given = new FormData(form), number = (name) => (given.has(name) ? Number(given.get(name)) : null);
  const row = new Array(Number(form.dataset.of ?? names.length)).fill(null), values = {};
  for (const [field, value] of given) {
    const arm = /^arm(\d+)$/.exec(field)?.[1];
    if (arm !== undefined && Number(arm) < names.length) [row[arm], values[names[arm]]] = value === "" ? [null, null] : [value, Number(value)];
  }
  const answer = form.elements.round ? await device.submitRatings(number("round"), number("slot"), row, values) : await submitAllRatings(values);
  if (answer.ok) location.assign(`/g/${pageData.group}?said=1`);
  else form.submit(); // the server says why, or takes it unsigned
}

// Dice: a member types what she saw with her own eyes, and her device signs it, once.
function initDiceForm() {
  const form = document.getElementById("seen");
  if (!form) return;
  form.hidden = false;
  const since = device.loadMemory()?.statements.find((one) => one.freeze === pageData.freeze)?.at ?? Date.now() / 1000;
  document.getElementById("first").textContent = translate("dice_first", { time: formatClock(since) });
  form.onsubmit = async (event) => {
    event.preventDefault();
    hasAnswered = true;
    const told = await device.confirmDice(form.elements.value.value.trim());
    if (!told.ok) { showSigningError(told, device); return; }
    clearUnsavedInput();
    setContent("device", translate("signed_value"));
  };
}

function initSilentCheckbox() {
  const box = document.getElementById("silent");
  if (!box) return;
  box.checked = device.loadMemory()?.silent ?? false;
  box.closest("label").hidden = false;
  box.onchange = () => { device.setSilent(box.checked); scheduleSigning(); };
}

let device = null; // this device, once it is known that the page is a member's

function initSharing() {
  const sharing = document.getElementById("share"), remind = document.getElementById("remind");
  if (sharing && navigator.share) {
    sharing.hidden = sharing.parentElement.hidden = false;
    sharing.onclick = () => share({ text: sharing.dataset.text, url: location.origin + location.pathname });
  }
  if (!remind) return;
  remind.parentElement.hidden = false;
  remind.onclick = async () => {
    const text = remind.dataset.text, url = location.origin + location.pathname, status = remind.nextElementSibling;
    if (navigator.share) await share({ text, url });
    else status.textContent = translate((await copy(`${text} ${url}`)) ? "copied" : "copy_by_hand");
  };
}

/** The wheel, where somebody waited for it: on the open page until now, or before this page was loaded. */
async function playAwaitedDraw(page, found) {
  const [drawn, before] = [page, document].map((one) => one.querySelector(".hero")?.dataset.drawn);
  const isNew = Boolean(drawn) && drawn !== before;
  if (!isNew && pageData.phase !== "frozen" && !document.documentElement.classList.contains("awaits")) return;
  await (await import("./draw_animation.js")).playAwaitedDraw(page, found?.lines ?? [], isNew);
}

async function initToday() {
  hasAnswered = false;
  let signalStarted = null;
  const started = new Promise((go) => { signalStarted = go; }); // whose device this is, is known once it has looked for the first time
  initBallot(async (values) => {
    await started;
    return canSign() ? submitAllRatings(values) : send("ratings", { round: null, slot: null, values });
  });
  initSharing();
  const tiles = document.querySelectorAll(".tile");
  if (tiles.length > MAX_TILES_UNSEARCHED) import("./filter.js").then((one) => one.addFilter(tiles[0].parentElement, tiles, translate("filter_names")));
  if (pageData.phase === "frozen") (await import("./draw_animation.js")).rememberWaiting(pageData.round);
  document.querySelector("form[data-decides]")?.addEventListener("submit", ({ target }) => {
    try { sessionStorage.setItem(`isegoria waits ${pageData.group}`, target.dataset.decides); } catch { /* nothing is kept here */ }
  });
  if (pageData.group && !location.hash.includes("k=")) {
    if (pageData.role === "member") device ??= await import("./device.js");
    const found = await checkHead().catch(() => ({ lines: [] })); // the server does not answer now: the page lives on, and looks again
    subscribeToChanges(() => device && scheduleSigning());
    const signed = found && device ? scheduleSigning().finally(signalStarted) : null; // it waits for no picture
    await playAwaitedDraw(document, found);
    if (found) {
      const drum = document.getElementById("drum");
      if (drum?.open) await showDrum(found.lines);
      else drum?.addEventListener("toggle", () => showDrum(found.lines), { once: true });
      if (device) { initRatingForms(); initDiceForm(); initSilentCheckbox(); }
      await signed;
    }
  }
  signalStarted();
}

await ready;
await runPage(initToday, async (page) => playAwaitedDraw(page, await checkHead()));
