// The rules by which a device signs: functions of what it remembers, the record and its member's receipt, and nothing else.
// A device breaks none of them, whatever a server shows it; a key whose device broke one counts as false.
import { encodeUint32, encodeUint64, fromHex, hmacSha256, toHex, sha256Of } from "/verify/bytes.js";

export const MAX_CLOCK_SKEW_SECONDS = 60; // seconds that two clocks may differ, and that a page must be older than its beacon's word

/** Why nothing is signed: the name of a message with its values; `alarm`: the page must warn; `leaf`: she is to be asked. */
export class SigningError extends Error {
  constructor(messageKey, values = {}, { alarm = false, leaf = null } = {}) {
    super(messageKey);
    Object.assign(this, { messageKey, values, alarm, leaf });
  }
}

const throwSigningError = (messageKey, values, more) => { throw new SigningError(messageKey, values, more); };
const parse = (line) => JSON.parse(new TextDecoder().decode(line));

/** A record as the rules look at it: its lines, their hashes, the latest roster, the open page, and its fair rounds. */
export function parseRecord(lines) {
  const parsed = lines.map(parse);
  const hashes = lines.map((line) => toHex(sha256Of(line)));
  const found = { said: parsed, names: hashes, id: hashes[1] ?? null, roster: null, page: null, rounds: [], source: parsed[0]?.source, overrides: [] };
  for (const [at, one] of parsed.entries()) {
    if (one.line === "roster") found.roster = one;
    if (one.line === "amend" && one.field === "source") found.source = one.value;
    if (one.line === "amend" && one.field === "end") Object.assign(found, { page: null, isEnded: true });
    if (one.line === "override") found.overrides.push(one);
    if (one.line === "freeze") found.rounds.push(parseFreeze(one, at + 1, hashes[at], found.source));
    if (one.line === "trial") found.rounds.push({ round: one.round, roster: one.roster });
    if (one.line === "draw") Object.assign(found.rounds.at(-1), { drawn: at + 1, value: one.source_bytes, arms: one.arms });
    if (one.line === "freeze" || one.line === "trial" || one.line === "draw") found.page = one.line === "freeze" ? found.rounds.at(-1) : null;
  }
  return found;
}

function parseFreeze(freeze, number, name, source) {
  const beaconTime = source.kind === "beacon" ? source.genesis + (freeze.source_round - 1) * source.period : null;
  return { round: freeze.round, roster: freeze.roster, freeze, number, name, kind: source.kind, beaconTime, drawn: null };
}

/** It extends everything that this device has signed or checked, and is the one record that its key signs. */
export function requireSameHistory(own, record) {
  if (record.said.length < 2) throwSigningError("device_not_begun");
  if (own.record && own.record !== record.id) throwSigningError("device_other_record", {}, { alarm: true });
  for (const one of own.checked ? [...own.statements, own.checked] : own.statements) {
    if (record.names[one.size - 1] !== one.head) throwSigningError("device_other_page", { round: one.round ?? 0 }, { alarm: true });
  }
}

/** Her receipt is hers, and her entry on the latest roster has this key. That it opens to her name is the verifier's part. */
export function requireOwnKey(own, record, receipt, number) {
  if (receipt.member !== number) throwSigningError("device_not_yours", {}, { alarm: true });
  if (record.roster.members[number]?.key !== own.key) throwSigningError("device_key_waits");
}

/** Its clock is right to a minute; and the open page is older than its beacon's word by a minute. */
export function requireCorrectTime(record, server, at) {
  if (Number.isFinite(server) && Math.abs(server - at) > MAX_CLOCK_SKEW_SECONDS) throwSigningError("device_clock");
  if (record.page?.beaconTime != null && at > record.page.beaconTime - MAX_CLOCK_SKEW_SECONDS) throwSigningError("device_too_late");
}

/** What this device told, as far as the record must hold it by now: the last word on each slot that was not taken back.
 * One whose answer never came (`counts` is null) may be on the record, and need not be. */
function listDueRatings(own, record, receipt) {
  const last = record.rounds.filter((one) => one.freeze && takesPart(one, record, receipt)).at(-1)?.round ?? 0;
  const newest = new Map();
  for (const one of own.sentRatings.filter((sent) => sent.counts !== null)) {
    if (one.counts <= (one.slot === null ? last : record.rounds.length)) newest.set(`${one.round} ${one.slot}`, one);
  }
  const put = (one) => record.overrides.some((line) => line.round === one.round && line.slot === one.slot && (one.values[line.arm] ?? null) === null);
  return [...newest.values()].filter((one) => one.values.some((value) => value !== null) && !put(one));
}

/** Whether a member's answers count in a round: while they are away, they do not. */
function takesPart({ round, freeze }, { said: [{ group, turns }] }, { secret, member }) {
  const own = toHex(hmacSha256(secret, fromHex(group), encodeUint64(turns ? 0 : round), encodeUint32(member)).subarray(0, 24));
  return !freeze.absent.some((one) => one.pseudonyms.includes(own));
}

/** The newest leaf of the receipt is what this device told last; one that was told elsewhere is shown to her. */
export function requireOwnRatings(own, record, receipt) {
  const byTime = (a, b) => a.at - b.at;
  const last = listDueRatings(own, record, receipt).sort(byTime).at(-1), leaf = receipt.ratings.map((one) => one.leaf).sort(byTime).at(-1);
  if (last && (!leaf || leaf.at < last.at)) throwSigningError("device_lost_rating", {}, { alarm: true });
  if (!leaf) return;
  if (own.sentRatings.some((one) => one.at === leaf.at && isSameRow(one.values, leaf.values))) return;
  if (last && leaf.at === last.at) throwSigningError("device_other_rating", {}, { alarm: true });
  throwSigningError("device_elsewhere", {}, { leaf });
}

const isSameRow = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** No round was drawn from another throw than the one that this device confirmed. */
export function requireConfirmedThrows(own, record) {
  for (const one of record.rounds.filter((round) => round.drawn)) {
    const confirmed = own.statements.find((say) => say.kind === "dice" && say.freeze === one.name);
    if (confirmed && confirmed.value !== one.value) throwSigningError("device_other_throw", { round: one.round }, { alarm: true });
  }
}

/** What a device that confirms dice must have done before: it signed this very page, and confirmed no other throw. */
export function requireDicePage(own, page, value) {
  if (page?.kind !== "dice") throwSigningError("device_no_dice");
  const before = own.statements.filter((one) => one.freeze === page.name);
  const confirmed = before.find((one) => one.kind === "dice");
  if (confirmed && confirmed.value !== value) throwSigningError("device_one_throw", { round: page.round });
  if (!before.some((one) => one.kind !== "dice")) throwSigningError("device_page_first");
}
