// This device's own key and memory. It signs by the rules of rules.js; the key never leaves it, and what it signs is stored
// before it is sent. Everything between the last look and the signature happens at once, so that two tabs cannot disagree.
import { pageData, apiUrl, encodeText, fetchRecord, fetchWhole, isTransient, toHex, splitLines, send, sha256Of, accessLocalStorage, fromHex } from "./group_page.js";
import { MAX_CLOCK_SKEW_SECONDS, SigningError, requireConfirmedThrows, requireSameHistory, requireOwnKey, parseRecord, requireDicePage, requireCorrectTime, requireOwnRatings } from "./signing_rules.js";
import { encodeUint64, encodeUint32, concatBytes } from "/verify/bytes.js";
import { encodeStatement } from "/verify/trust.js";
import { verify } from "/verify/verify.js";
import { getPublicKey, sign } from "/verify/vendor/noble-ed25519.js";

const memberNumber = Number(pageData.number);
const storageKey = `isegoria device ${pageData.group} ${memberNumber}`;

/** The key, and all that this device signed, told and committed to; null where the browser keeps nothing. */
export function loadMemory() {
  const kept = accessLocalStorage(storageKey);
  if (kept) return kept;
  const seed = toHex(crypto.getRandomValues(new Uint8Array(32)));
  const fresh = { seed, key: toHex(getPublicKey(fromHex(seed))), record: null, checked: null, statements: [], committedNumbers: [], sentRatings: [], silent: false };
  navigator.storage?.persist?.();
  return accessLocalStorage(storageKey, fresh);
}

const updateMemory = (changes) => accessLocalStorage(storageKey, { ...loadMemory(), ...changes });

/** "mine": the roster has, or will have, this key; "sent": it was just registered; "other": another device signs;
 * "silent": this one shall not sign; "forgets": the browser keeps nothing, so that it must not. */
export async function registerKey(replace = false) {
  const own = loadMemory();
  if (!own) return "forgets";
  if (own.silent && !replace) return "silent";
  if (replace) updateMemory({ silent: false });
  if (pageData.key === own.key) return "mine";
  if (pageData.key && !replace) return "other";
  const message = concatBytes(encodeText("isegoria key 3\0"), fromHex(pageData.id), encodeUint32(memberNumber), fromHex(own.key));
  const answer = await send("keys", { key: own.key, proof: toHex(sign(message, fromHex(own.seed))), replace });
  if (isTransient(answer.status)) throw new TypeError(`the key was not taken: ${answer.status}`);
  if (answer.ok) pageData.key = own.key;
  return answer.ok ? "sent" : "other";
}

/** Sign no more from this device, or again. */
export const setSilent = (silent) => updateMemory({ silent });

/** The record and this member's receipt as they belong together: others sign meanwhile, so it ends where the receipt was made. */
async function fetchRecordAndReceipt() {
  const answer = await fetchWhole(`${apiUrl}/receipt`), server = Date.parse(answer.headers.get("date") ?? "") / 1000;
  const proof = new Uint8Array(await answer.arrayBuffer()), receipt = JSON.parse(new TextDecoder().decode(proof));
  const whole = await fetchRecord(), all = splitLines(whole);
  const end = all.findIndex((one) => toHex(sha256Of(one)) === receipt.head) + 1, lines = end ? all.slice(0, end) : all;
  return { bytes: whole.subarray(0, lines.reduce((size, one) => size + one.length + 1, 0)), lines, proof, receipt, server };
}

/** What the verifier finds for this key alone, once a roster has it; `known`: what it may take as checked before. */
function verifyForDevice({ bytes, lines, proof }, known) {
  const key = loadMemory()?.key, decoder = new TextDecoder();
  const onRoster = key && lines.map((one) => decoder.decode(one)).some((one) => one.includes('"line":"roster"') && one.includes(key));
  return verify(bytes, { receipt: proof, known, trust: onRoster ? [key] : [] });
}

/** A check of everything from the first line on, for who asks for it: {found}, the verifier's whole answer. */
export async function verifyFromStart() {
  return { found: await verifyForDevice(await fetchRecordAndReceipt(), null) };
}

/** The record as it is now with its verdict for this key alone, and her receipt; a Refusal if a rule forbids to sign it. */
export async function fetchVerifiedRecord() {
  const looked = await fetchRecordAndReceipt(), own = loadMemory(), record = parseRecord(looked.lines);
  requireSameHistory(own, record);
  const found = await verifyForDevice(looked, own.checked);
  if (found.exit_code === 1 || found.exit_code === 2) throw new SigningError("device_false", {}, { alarm: true });
  return { ...looked, record, found };
}

/** Say something over the record as it was looked at: {kind, value} of `asked`; the answer of the server. */
async function submitStatement(looked, asked) {
  const { record, receipt, server } = looked, own = loadMemory(), at = Math.floor(Date.now() / 1000);
  if (own.silent) throw new SigningError("device_silent");
  requireSameHistory(own, record);
  requireOwnKey(own, record, receipt, memberNumber);
  requireCorrectTime(record, server, at);
  requireOwnRatings(own, record, receipt);
  requireConfirmedThrows(own, record);
  const size = record.said.length, page = record.page;
  const { kind, value, committedNumbers = own.committedNumbers } = asked(own, record);
  const again = own.statements.find((one) => one.kind === kind && one.size === size && one.value === value && at - one.at < MAX_CLOCK_SKEW_SECONDS); // asked again, it says the same
  const slip = again ?? { member: memberNumber, size, head: record.names[size - 1], at, kind, value };
  slip.signature ??= toHex(sign(encodeStatement(fromHex(record.id), slip), fromHex(own.seed)));
  const kept = { ...slip, freeze: page?.name ?? null, round: record.rounds.at(-1)?.round ?? 0 };
  const checked = { size, head: record.names[size - 1], round: kept.round };
  if (!again && !accessLocalStorage(storageKey, { ...own, record: record.id, checked, committedNumbers, statements: [...own.statements, kept] })) throw new SigningError("device_forgets");
  return send("say", { size, head: slip.head, at: slip.at, kind, value: slip.value, signature: slip.signature });
}

/** What the rules let happen: {ok}, or {ok: false, messageKey, alarm, leaf} with the sentence in the words of the page. */
async function trySubmit(asked, looked = null) {
  try {
    const answer = await submitStatement(looked ?? (await fetchVerifiedRecord()), asked);
    return answer.ok ? { ok: true } : { ok: false, messageKey: answer.body.error ?? String(answer.status), alarm: false, isTransient: isTransient(answer.status) || answer.status === 409 };
  } catch (refusal) {
    if (refusal instanceof TypeError) return { ok: false, messageKey: "device_offline", alarm: false, isTransient: true }; // fetch never arrived
    if (!(refusal instanceof SigningError)) throw refusal;
    return { ok: false, messageKey: refusal.messageKey, values: refusal.values, alarm: refusal.alarm, leaf: refusal.leaf };
  }
}

const hashCommitment = (id, secret) => toHex(sha256Of(encodeText("isegoria commit 3\0"), fromHex(id), encodeUint32(memberNumber), fromHex(secret)));

/** Under the group, the hash that this device's commitment for the open page has on the record; and its number. */
function findCommitment(own, record) {
  const before = record.rounds.filter((one) => one.freeze).at(-2)?.number ?? 0, now = record.page?.number ?? Infinity;
  const mine = record.said.slice(before, now).findLast((one) => one.line === "statement" && one.member === memberNumber && one.kind === "commit");
  return mine ? own.committedNumbers.find((one) => hashCommitment(record.id, one) === mine.value) ?? null : null;
}

/** What an open page has to say now: nothing twice. A page once after its freeze, and once after its draw. */
export function findNextStatement(record, own = loadMemory()) {
  const past = (line) => own.statements.some((one) => one.size >= line) && record.said.some((one) => one.line === "statement" && one.member === memberNumber && one.size >= line);
  const page = record.page, drawn = record.rounds.filter((one) => one.drawn).at(-1);
  if (page?.kind === "commit_reveal") {
    const revealed = record.said.slice(page.number).some((one) => one.line === "statement" && one.member === memberNumber && one.kind === "reveal");
    return !revealed && findCommitment(own, record) ? "reveal" : null;
  }
  if (record.isEnded) return null; // nothing can follow
  if (page) return past(page.number) ? null : "seen";
  return drawn && !past(drawn.drawn) ? "seen" : null;
}

export const acknowledge = (looked) => trySubmit(() => ({ kind: "seen", value: null }), looked);

/** Commit to a fresh number for the next freeze: kept before its hash leaves. Over the same lines it says the same again. */
export const commitNumber = (looked) => trySubmit((own, record) => {
  const before = own.statements.findLast((one) => one.kind === "commit" && one.size === record.said.length);
  if (before && Date.now() / 1000 - before.at < MAX_CLOCK_SKEW_SECONDS - 1) return { kind: "commit", value: before.value };
  const secret = toHex(crypto.getRandomValues(new Uint8Array(32)));
  return { kind: "commit", value: hashCommitment(record.id, secret), committedNumbers: [...own.committedNumbers, secret] };
}, looked);

export const revealNumber = (looked) => trySubmit((own, record) => {
  const secret = record.page?.kind === "commit_reveal" ? findCommitment(own, record) : null;
  if (!secret) throw new SigningError("device_no_number");
  return { kind: "reveal", value: secret };
}, looked);

/** Say that another's key is the one which their own device shows: `number` and `key` as the roster has them. */
export const compareKey = (number, key) => trySubmit(() => ({ kind: "compare", value: toHex(encodeUint32(number)) + key }));

/** What the dice showed: typed numbers as the record writes them. */
export const confirmDice = (typed) => trySubmit((own, record) => {
  const parts = /[\s,.]/.test(typed) ? typed.split(/[\s,.]+/).filter(Boolean) : [...typed];
  const numbers = record.page?.freeze.dice_form?.order === "sorted" ? parts.map(Number).sort((a, b) => a - b) : parts.map(Number);
  const value = toHex(encodeText(numbers.map((one) => `${one}.`).join("")));
  requireDicePage(own, record.page, value);
  return { kind: "dice", value };
});

/** Take a leaf that was told elsewhere for her own. */
export function acceptRating(leaf) {
  updateMemory({ sentRatings: [...loadMemory().sentRatings, { round: leaf.slot === null ? null : leaf.round, slot: leaf.slot, at: leaf.at, values: leaf.values, counts: leaf.round }] });
}

/** Tell ratings with a signature: `row` is the whole row as decimals, `values` the same by name. The server's answer. */
export async function submitRatings(round, slot, row, values) {
  const own = loadMemory(), at = Math.floor(Date.now() / 1000);
  const parts = [fromHex(pageData.id), encodeUint32(memberNumber), encodeUint64(round ?? 0), encodeUint32(slot ?? 0xffffffff), encodeUint64(at), sha256Of(encodeText(JSON.stringify(row)))];
  const signature = toHex(sign(concatBytes(encodeText("isegoria rating 3\0"), ...parts), fromHex(own.seed)));
  const pending = { round, slot, at, values: row, counts: null }, isPending = (one) => JSON.stringify(one) === JSON.stringify(pending);
  updateMemory({ sentRatings: [...own.sentRatings, pending] }); // kept before it is sent: the answer may never come
  const answer = await send("ratings", { round, slot, values, at, signature });
  const settled = answer.ok ? [{ ...pending, counts: answer.body.counts_from }] : [];
  if (answer.status < 500) updateMemory({ sentRatings: loadMemory().sentRatings.flatMap((one) => (isPending(one) ? settled : [one])) });
  return answer;
}
