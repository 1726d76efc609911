// This device's own key: it signs what it saw before a draw, and that it checked the record. The secret never leaves it.
import { about, ascii, hex, linesOf, send, sha, stored, unhex } from "./shared.js";
import { eight, four, joined } from "/verify/bytes.js";
import { getPublicKey, sign } from "/verify/vendor/noble-ed25519.js";

const place = `isegoria key ${about.group} ${about.number}`;

export function ownKey() {
  const kept = stored(place);
  if (kept) return kept;
  const seed = hex(crypto.getRandomValues(new Uint8Array(32)));
  return stored(place, { seed, key: hex(getPublicKey(unhex(seed))) }) ?? { seed, key: hex(getPublicKey(unhex(seed))) };
}

// "mine": the roster has this device's key; "other": it has another one; "none": it had none, and now has ours.
export async function registered(replace = false) {
  const { key } = ownKey();
  if (about.key === key) return "mine";
  if (about.key && !replace) return "other";
  const answer = await insisting("keys", { key });
  if (answer.ok) about.key = key;
  return answer.ok ? "none" : "other";
}

// Two devices may speak in the same moment, and the record takes one line after the other: who came second tries again.
async function insisting(path, body) {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(path, body);
    if (answer.ok || answer.status !== 409 || tries === 4) return answer;
    await new Promise((go) => setTimeout(go, 250 * tries));
  }
}

const signature = (...parts) => hex(sign(joined(...parts), unhex(ownKey().seed)));
const charter = (record) => sha(linesOf(record)[0]);

export function witness(record, freeze) {
  const at = Math.floor(Date.now() / 1000);
  return insisting("witness", { freeze, at, signature: signature(ascii("isegoria witness 1\0"), charter(record), unhex(freeze), eight(at)) });
}

export function seen(record, freeze, value, source) {
  return insisting("seen", { value, signature: signature(ascii("isegoria value 1\0"), charter(record), unhex(freeze), source) });
}

export function checked(record, head) {
  return insisting("checked", { head, signature: signature(ascii("isegoria checked 1\0"), charter(record), unhex(head)) });
}

// Source "group": a secret number is put in before the freeze by its hash, and told only after this device saw that freeze.
const number = (round) => `isegoria number ${about.group} ${about.number} ${round}`;

export async function commit(record, round) {
  const group = JSON.parse(new TextDecoder().decode(linesOf(record)[0])).group;
  const value = stored(number(round)) ?? stored(number(round), hex(crypto.getRandomValues(new Uint8Array(32))));
  const hash = hex(sha(ascii("isegoria commit 1\0"), unhex(group), eight(round), four(Number(about.number)), unhex(value)));
  return insisting("commit", { hash });
}

export async function reveal(record, round, freeze) {
  const value = stored(number(round));
  if (!value) return { ok: false };
  return insisting("reveal", { value, signature: signature(ascii("isegoria reveal 1\0"), charter(record), unhex(freeze), unhex(value)) });
}
