// This device's own key and memory. It signs by the rules of rules.js; the key never leaves it, and what it signs is stored
// before it is sent. Everything between the last look and the signature happens at once, so that two tabs cannot disagree.
import { about, api, ascii, fetchRecord, hex, linesOf, send, sha, stored, unhex } from "./shared.js";
import { CLOCKS, Refusal, draws, history, identity, read, throwing, time, told } from "./rules.js";
import { eight, four, joined } from "/verify/bytes.js";
import { sayMessage } from "/verify/trust.js";
import { verify } from "/verify/verify.js";
import { getPublicKey, sign } from "/verify/vendor/noble-ed25519.js";

const number = Number(about.number);
const place = `isegoria device ${about.group} ${number}`;

/** The key, and all that this device signed, told and committed to; null where the browser keeps nothing. */
export function memory() {
  const kept = stored(place);
  if (kept) return kept;
  const seed = hex(crypto.getRandomValues(new Uint8Array(32)));
  const fresh = { seed, key: hex(getPublicKey(unhex(seed))), record: null, checked: null, says: [], numbers: [], told: [], silent: false };
  navigator.storage?.persist?.();
  return stored(place, fresh);
}

const remember = (changes) => stored(place, { ...memory(), ...changes });

/** "mine": the roster has, or will have, this key; "sent": it was just registered; "other": another device signs;
 * "silent": this one shall not sign; "forgets": the browser keeps nothing, so that it must not. */
export async function registered(replace = false) {
  const own = memory();
  if (!own) return "forgets";
  if (own.silent && !replace) return "silent";
  if (replace) remember({ silent: false });
  if (about.key === own.key) return "mine";
  if (about.key && !replace) return "other";
  const answer = await send("keys", { key: own.key, replace });
  if (answer.ok) about.key = own.key;
  return answer.ok ? "sent" : "other";
}

/** Sign no more from this device, or again. */
export const silence = (silent) => remember({ silent });

/** The record and her receipt as they belong together: others sign meanwhile, so it ends where the receipt was made. */
async function together() {
  const answer = await fetch(`${api}/receipt`), server = Date.parse(answer.headers.get("date") ?? "") / 1000;
  const proof = new Uint8Array(await answer.arrayBuffer()), receipt = JSON.parse(new TextDecoder().decode(proof));
  const whole = await fetchRecord(), all = linesOf(whole);
  const end = all.findIndex((one) => hex(sha(one)) === receipt.head) + 1, lines = end ? all.slice(0, end) : all;
  return { bytes: whole.subarray(0, lines.reduce((size, one) => size + one.length + 1, 0)), lines, proof, receipt, server };
}

/** What the verifier finds for this key alone, once a roster has it; `known`: what it may take as checked before. */
function verdictOn({ bytes, lines, proof }, known) {
  const key = memory()?.key, decoder = new TextDecoder();
  const onRoster = key && lines.map((one) => decoder.decode(one)).some((one) => one.includes('"line":"roster"') && one.includes(key));
  return verify(bytes, { receipt: proof, known, trust: onRoster ? [key] : [] });
}

/** A check of everything from the first line on, for who asks for it: {found}, the verifier's whole answer. */
export async function checked() {
  return { found: await verdictOn(await together(), null) };
}

/** The record as it is now with its verdict for this key alone, and her receipt; a Refusal if a rule forbids to sign it. */
export async function look() {
  const looked = await together(), own = memory(), record = read(looked.lines);
  history(own, record);
  const found = await verdictOn(looked, own.checked);
  if (found.exit_code === 1 || found.exit_code === 2) throw new Refusal("device_false", {}, { red: true });
  return { ...looked, record, found };
}

/** Say something over the record as it was looked at: {what, value} of `asked`; the answer of the server. */
async function say(looked, asked) {
  const { record, receipt, server } = looked, own = memory(), at = Math.floor(Date.now() / 1000);
  if (own.silent) throw new Refusal("device_silent");
  history(own, record);
  identity(own, record, receipt, number);
  time(record, server, at);
  told(own, record, receipt);
  draws(own, record);
  const size = record.said.length, page = record.page;
  const { what, value, numbers = own.numbers } = asked(own, record);
  const again = own.says.find((one) => one.what === what && one.size === size && one.value === value && at - one.at < CLOCKS); // asked again, it says the same
  const slip = again ?? { by: number, size, head: record.names[size - 1], at, what, value };
  slip.signature ??= hex(sign(sayMessage(unhex(record.id), slip), unhex(own.seed)));
  const kept = { ...slip, freeze: page?.name ?? null, round: record.rounds.at(-1)?.round ?? 0 };
  const checked = { size, head: record.names[size - 1], round: kept.round };
  if (!again && !stored(place, { ...own, record: record.id, checked, numbers, says: [...own.says, kept] })) throw new Refusal("device_forgets");
  return send("say", { size, head: slip.head, at: slip.at, what, value: slip.value, signature: slip.signature });
}

/** What the rules let happen: {ok}, or {ok: false, why, red, leaf} with the sentence in the words of the page. */
async function allowed(asked, looked = null) {
  try {
    const answer = await say(looked ?? (await look()), asked);
    return answer.ok ? { ok: true } : { ok: false, why: answer.body.error ?? String(answer.status), red: false };
  } catch (refusal) {
    if (refusal instanceof TypeError) return { ok: false, why: "device_offline", red: false }; // fetch never arrived
    if (!(refusal instanceof Refusal)) throw refusal;
    return { ok: false, why: refusal.why, values: refusal.values, red: refusal.red, leaf: refusal.leaf };
  }
}

const hashOf = (id, secret) => hex(sha(ascii("isegoria commit 2\0"), unhex(id), four(number), unhex(secret)));

/** Under the group, the hash that this device's commitment for the open page has on the record; and its number. */
function committed(own, record) {
  const before = record.rounds.filter((one) => one.freeze).at(-2)?.number ?? 0, now = record.page?.number ?? Infinity;
  const mine = record.said.slice(before, now).findLast((one) => one.line === "say" && one.by === number && one.what === "commit");
  return mine ? own.numbers.find((one) => hashOf(record.id, one) === mine.value) ?? null : null;
}

/** What an open page has to say now: nothing twice. A page once after its freeze, and once after its draw. */
export function wanted(record, own = memory()) {
  const past = (line) => own.says.some((one) => one.size >= line) && record.said.some((one) => one.line === "say" && one.by === number && one.size >= line);
  const page = record.page, drawn = record.rounds.filter((one) => one.drawn).at(-1);
  if (page?.kind === "group") {
    const revealed = record.said.slice(page.number).some((one) => one.line === "say" && one.by === number && one.what === "reveal");
    return !revealed && committed(own, record) ? "reveal" : null;
  }
  if (page) return past(page.number) ? null : "seen";
  return drawn && !past(drawn.drawn) ? "seen" : null;
}

export const seen = (looked) => allowed(() => ({ what: "seen", value: null }), looked);

/** Commit to a fresh number for the next freeze: kept before its hash leaves. Over the same lines it says the same again. */
export const commit = (looked) => allowed((own, record) => {
  const before = own.says.findLast((one) => one.what === "commit" && one.size === record.said.length);
  if (before && Date.now() / 1000 - before.at < CLOCKS - 1) return { what: "commit", value: before.value };
  const secret = hex(crypto.getRandomValues(new Uint8Array(32)));
  return { what: "commit", value: hashOf(record.id, secret), numbers: [...own.numbers, secret] };
}, looked);

export const reveal = (looked) => allowed((own, record) => {
  const secret = record.page?.kind === "group" ? committed(own, record) : null;
  if (!secret) throw new Refusal("device_no_number");
  return { what: "reveal", value: secret };
}, looked);

/** What the dice showed: typed numbers as the record writes them. */
export const dice = (typed) => allowed((own, record) => {
  const parts = /[\s,.]/.test(typed) ? typed.split(/[\s,.]+/).filter(Boolean) : [...typed];
  const numbers = record.page?.freeze.form?.order === "sorted" ? parts.map(Number).sort((a, b) => a - b) : parts.map(Number);
  const value = hex(ascii(numbers.map((one) => `${one}.`).join("")));
  throwing(own, record.page, value);
  return { what: "dice", value };
});

/** Take a leaf that was told elsewhere for her own. */
export function owned(leaf) {
  remember({ told: [...memory().told, { round: leaf.slot === null ? null : leaf.round, slot: leaf.slot, at: leaf.at, values: leaf.values, counts: leaf.round }] });
}

/** Tell ratings with a signature: `row` is the whole row as decimals, `values` the same by name. The server's answer. */
export async function rate(round, slot, row, values) {
  const own = memory(), at = Math.floor(Date.now() / 1000);
  const parts = [unhex(about.id), four(number), eight(round ?? 0), four(slot ?? 0xffffffff), eight(at), sha(ascii(JSON.stringify(row)))];
  const signature = hex(sign(joined(ascii("isegoria rating 2\0"), ...parts), unhex(own.seed)));
  const answer = await send("ratings", { round, slot, values, at, signature });
  if (answer.ok) remember({ told: [...memory().told, { round, slot, at, values: row, counts: answer.body.counts_from }] });
  return answer;
}
