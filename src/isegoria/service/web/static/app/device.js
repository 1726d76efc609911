// This device's own key and memory: it signs only a record that it has verified, that extends everything it signed before,
// at its own clock's time. The secret never leaves it; what it signed is stored before it is sent.
import { about, ascii, bytesOf, hex, linesOf, send, sha, stored, unhex } from "./shared.js";
import { four } from "/verify/bytes.js";
import { sayMessage } from "/verify/trust.js";
import { verify } from "/verify/verify.js";
import { getPublicKey, sign } from "/verify/vendor/noble-ed25519.js";

const place = `isegoria device ${about.group} ${about.number}`;
const CLOCKS = 60;

function memory() {
  const kept = stored(place);
  if (kept) return kept;
  const seed = hex(crypto.getRandomValues(new Uint8Array(32)));
  const fresh = { seed, key: hex(getPublicKey(unhex(seed))), record: null, says: [], numbers: [] };
  navigator.storage?.persist?.();
  return stored(place, fresh) ?? fresh;
}

// "mine": the roster has, or will have, this device's key; "other": another device signs; "none": ours was just sent.
export async function registered(replace = false) {
  const { key } = memory();
  if (about.key === key) return "mine";
  if (about.key && !replace) return "other";
  const answer = await send("keys", { key, replace });
  if (answer.ok) about.key = key;
  return answer.ok ? "none" : "other";
}

const parse = (line) => JSON.parse(new TextDecoder().decode(line));
const refuse = (why, red = false) => { throw Object.assign(new Error(why), { red }); };

// The record as it is now, verified with this member's receipt, and not another history than this device has signed.
async function looked(own) {
  const answer = await fetch(`/api/groups/${about.group}/record`);
  const server = Date.parse(answer.headers.get("date") ?? "") / 1000, at = Math.floor(Date.now() / 1000);
  if (Number.isFinite(server) && Math.abs(server - at) > CLOCKS) refuse("the clock of this device is off by more than a minute.");
  const record = new Uint8Array(await answer.arrayBuffer()), lines = linesOf(record);
  if (lines.length < 2) refuse("the record has not begun.");
  const found = await verify(record, { receipt: await bytesOf("receipt") });
  if (found.exit_code === 1 || found.exit_code === 2) refuse(found.sentence, true);
  const id = hex(sha(lines[1]));
  if (own.record && own.record !== id) refuse("this device signs another record.", true);
  for (const { size, head } of own.says) {
    if (size > lines.length || hex(sha(lines[size - 1])) !== head) refuse(`this device signed another history, at line ${size}.`, true);
  }
  return { lines, id, at };
}

// The fair page that is open, with its hash and line number; null if there is none.
function openPage(lines) {
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const one = parse(lines[at]);
    if (one.line === "draw" || one.line === "trial" || (one.line === "amend" && one.field === "end")) return null;
    if (one.line === "freeze") return { ...one, hash: hex(sha(lines[at])), number: at + 1 };
  }
  return null;
}

// Say something over the record as it is now; asked again for the same, it sends the same.
async function say(what, valueOf = () => null) {
  const own = memory();
  const { lines, id, at } = await looked(own);
  const roster = lines.map(parse).findLast((one) => one.line === "roster").members[Number(about.number)];
  if (roster?.key !== own.key) refuse("this device's key is not on the roster yet; the next freeze puts it there.");
  const page = openPage(lines);
  if (page && about.speaks && at > Number(about.speaks) - CLOCKS) refuse("the beacon is about to speak, or has spoken; this device signs after the draw.");
  const again = own.says.find((one) => one.what === what && (one.size === lines.length || (page && what !== "seen" && what !== "commit" && one.freeze === page.hash)));
  const value = valueOf(own, page, id);
  if (again && again.value !== value && what !== "commit") refuse("this device has said something else before.", true);
  const slip = again ?? { by: Number(about.number), size: lines.length, head: hex(sha(lines.at(-1))), at, what, value };
  slip.signature ??= hex(sign(sayMessage(unhex(id), slip), unhex(own.seed)));
  if (!again) stored(place, { ...own, record: id, says: [...own.says, { ...slip, freeze: page?.hash ?? null }] });
  const { size, head, signature } = slip;
  return send("say", { size, head, at: slip.at, what, value: slip.value, signature });
}

// The record may grow while this device reads: then it looks again. Any other refusal is shown, and not repeated.
async function insisting(what, valueOf) {
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await say(what, valueOf);
      if (answer.ok || answer.status !== 409 || tries === 3) return answer;
    } catch (error) {
      return { ok: false, red: error.red ?? false, body: { error: error.message } };
    }
    await new Promise((go) => setTimeout(go, 250 * tries));
  }
}

export const seen = () => insisting("seen");

export const commit = () => insisting("commit", (own, page, id) => {
  const number = hex(crypto.getRandomValues(new Uint8Array(32)));
  own.numbers.push(number);
  return hash(id, number);
});

export const reveal = () => insisting("reveal", (own, page, id) => own.numbers.find((one) => page && committed(id, one)) ?? refuse("this device has not committed."));

const hash = (id, number) => hex(sha(ascii("isegoria commit 2\0"), unhex(id), four(Number(about.number)), unhex(number)));
const sent = () => new Set(memory().says.filter((one) => one.what === "commit").map((one) => one.value));
const committed = (id, number) => number === memory().numbers.findLast((one) => sent().has(hash(id, one)));

// What the dice showed: typed numbers as the record writes them. Only after this device had signed the page, and once.
export const dice = (typed) => insisting("dice", (own, page) => {
  if (!page || !own.says.some((one) => one.what !== "dice" && one.size >= page.number)) refuse("this device had not seen the page before the throw.");
  const numbers = /[\s,.]/.test(typed) ? typed.split(/[\s,.]+/).filter(Boolean) : [...typed];
  const ordered = page.form.order === "sorted" ? numbers.map(Number).sort((a, b) => a - b) : numbers.map(Number);
  return hex(ascii(ordered.map((one) => `${one}.`).join("")));
});
