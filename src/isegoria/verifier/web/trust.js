// Whom the reader trusts, and what that proves of each round: T, k, l₀, e, l and β, by the page's third section.

import { encodeText, sanitise, encodeUint64, encodeUint32, toHex, concatBytes, minimum, joinItems, require, sha256Of, fromHex } from "./bytes.js";
import { getValidator, readChainInfo } from "./schema.js";
import { isValidSignature } from "./signatures.js";

export const QUICKNET = {
  chain: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
  genesis: 1692803367,
  period: 3,
  key:
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451" +
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
};
const isKey = (who) => getValidator("hex64")(who);

/** The rosters of a record by the line from which they hold: only what trust needs, before the lines are checked. */
function rosterAtLine(lines, line) {
  const roster = lines.slice(0, line).findLast((one) => one.line === "roster");
  return new Map((roster?.members ?? []).flatMap((one, n) => (one ? [[n, one]] : [])));
}

/** Whom WHO names on a roster: member numbers. */
function resolveMembers(who, roster, people) {
  if (who === "members") return [...roster.keys()];
  if (/^(0|[1-9][0-9]*)$/.test(who)) return roster.has(Number(who)) ? [Number(who)] : [];
  const named = [...roster.keys()].filter((n) => people?.members[n]?.name === who);
  return named.length === 1 ? named : [];
}

/** The sets T in use: [{line of the head or null, keys, members, from: the first line whose freezes it judges}]. */
export function collectKeySets(lines, trust, heads, people) {
  const keys = trust.filter(isKey);
  const others = trust.filter((who) => !isKey(who));
  const kept = [...new Set(heads)].filter((line) => line >= 2).sort((a, b) => a - b);
  require(!others.length || kept.length, "members need a head that you kept before: --head.", 2);
  const everyone = lines.flatMap((one) => (one.line === "roster" ? one.members.flatMap((m) => (m?.key ? [m.key] : [])) : []));
  const rosters = kept.map((line) => rosterAtLine(lines, line));
  for (const who of trust) {
    const there = isKey(who) ? everyone.includes(who) : rosters.some((roster) => resolveMembers(who, roster, people).length);
    require(there, `${sanitise(who)} is no key, member or name of this record.`, 2);
  }
  if (!others.length) return trust.length ? keySetWithoutHead(lines, keys) : [];
  return kept.map((line, i) => {
    const own = others.flatMap((who) => resolveMembers(who, rosters[i], people)).map((n) => rosters[i].get(n));
    const known = own.flatMap((one) => (one.key && !one.organiser ? [one.key] : []));
    return { line, keys: [...new Set([...keys, ...known])].sort(), members: rosters[i].size, from: line + 1 };
  });
}

/** Keys need no head: they judge from the first freeze whose roster has them all. */
function keySetWithoutHead(lines, keys) {
  const own = [...new Set(keys)].sort();
  let roster = [];
  for (const [i, line] of lines.entries()) {
    if (line.line === "roster") roster = line.members.filter(Boolean);
    const all = line.line === "freeze" && own.every((key) => roster.some((one) => one.key === key));
    if (all) return [{ line: null, keys: own, members: roster.length, from: i + 1 }];
  }
  return [{ line: null, keys: own, members: null, from: Infinity }];
}

/** The T that judges a round, if any: that of the newest head before its freeze, unless it is empty. */
export function findJudgingSet(sets, now) {
  const newest = sets.findLast((one) => one.from <= now.number);
  return newest?.keys.length ? newest : null;
}

/** k₀, k and l₀ for a source, and for n keys. */
export function computeThresholds(n, quorum, kind) {
  const k0 = quorum ?? Math.ceil(n / 3);
  const k = kind === "dice" ? Math.max(k0, Math.floor(n / 2) + 1) : k0;
  return { k0, k, l0: Math.max(k, n + 1 - k0) };
}

/** Which of these keys had a page in time, by its source. */
function findTimelyKeys(walk, now, keys) {
  if (now.source.kind === "commit_reveal") {
    return [...now.commits].flatMap(([by, { key }]) => (now.reveals.get(by)?.key === key ? [key] : []));
  }
  const timely = (at) => at < Infinity && (now.speaks === null || BigInt(at) <= now.speaks - 60n);
  if (now.drawn === null) return now.source.kind === "dice" ? [] : keys.filter((key) => timely(walk.firstSignatureTime(key, now.number)));
  const whileOpen = walk.says.slice(now.saysFrom, now.saysTo).filter((one) => one.size >= now.number);
  if (now.source.kind !== "dice") return whileOpen.filter((one) => timely(one.at)).map((one) => one.key);
  const first = new Map();
  for (const one of whileOpen) if (!first.has(one.key)) first.set(one.key, one.line);
  const said = (one) => one.kind === "dice" && one.value === now.said && first.get(one.key) < one.line;
  return whileOpen.filter(said).map((one) => one.key);
}

/** What the keys of T say of a round: {e, l, beta (null if it was not drawn), n, members, k, l0}. */
export function countSignatures(walk, now, judge, quorum) {
  const own = new Set(judge.keys);
  const n = own.size;
  const { k0, k, l0 } = computeThresholds(n, quorum, now.source.kind);
  const inTime = new Set(findTimelyKeys(walk, now, judge.keys).filter((key) => own.has(key)));
  const since = judge.keys.filter((key) => inTime.has(key) || (now.drawn !== null && walk.firstSignatureTime(key, now.drawn) < Infinity));
  const [e, l] = [inTime.size, since.length];
  const beta = now.drawn === null ? null : Math.min(e + (now.source.kind === "dice" ? k : l0), l + k0) - n;
  return { e, l, beta, n, members: judge.members, k, l0 };
}

export const beaconKnown = (source, chain) =>
  [QUICKNET, chain].some((one) => one && Object.entries(one).every(([key, value]) => source[key] === value));

/** A beacon's chain info, whose chain hash binds key, genesis and period: what a source must have. */
export function readChain(data) {
  const info = readChainInfo(data);
  const id = info?.metadata.beaconID === "default" ? "" : info?.metadata.beaconID;
  const parts = info && info.period < 2 ** 32 &&
    [encodeUint32(info.period), encodeUint64(info.genesis_time), fromHex(info.public_key), fromHex(info.groupHash), new TextEncoder().encode(id)];
  const fits = parts && toHex(sha256Of(concatBytes(...parts))) === info.hash;
  require(fits, "the chain info of the beacon is not as drand gives it, or does not hash to its chain hash.", 2);
  return { chain: info.hash, key: info.public_key, genesis: info.genesis_time, period: info.period };
}

/** Whether a round may still be drawn, by the reader's clock. */
export function canStillDraw(walk, now, clock) {
  if (now !== walk.rounds.at(-1) || walk.ended !== null) return false;
  if (now.source.kind === "beacon") return BigInt(clock) <= now.speaks + 3600n;
  return clock - now.freeze.at >= -120 && clock - now.freeze.at <= 86400;
}

/** The last line that at least k keys of T signed over, and the time of the k-th such signature. */
export function findLastSignedLine(walk, judge, quorum) {
  const { k0: k } = computeThresholds(judge.keys.length, quorum, "");
  const best = new Map();
  for (const one of walk.says) if (judge.keys.includes(one.key) && one.size > (best.get(one.key) ?? 0)) best.set(one.key, one.size);
  const sizes = [...best.values()].sort((a, b) => b - a);
  if (sizes.length < k) return null;
  const line = sizes[k - 1];
  const times = judge.keys.flatMap((key) => {
    const own = walk.says.filter((one) => one.key === key && one.size >= line).map((one) => one.at);
    return own.length ? [minimum(own)] : [];
  });
  return { line, at: times.sort((a, b) => a - b)[k - 1], k };
}

/** The message of a statement, and whether a key signed it. */
export function encodeStatement(id, { member, size, head, at, kind, value }) {
  const said = value === null ? new Uint8Array(0) : fromHex(value);
  return concatBytes(encodeText("isegoria statement 3\0"), id, encodeUint32(member), encodeUint64(size), fromHex(head), encodeUint64(at), encodeText(`${kind}\0`), said);
}
const isSaid = (id, line, key) => isValidSignature(key, line.signature, encodeStatement(id, line));

/** Where another record of these people parts from this one: a note, or a fault if a trusted key signed it past there. */
export function compareCopies(walk, { sets, trust }, raws, lines, called) {
  const names = raws.map((raw) => toHex(sha256Of(raw)));
  const shared = names.findIndex((name, i) => name !== walk.names[i]);
  const length = Math.min(names.length, walk.names.length);
  const part = (shared < 0 || shared >= walk.names.length ? length : shared) + 1;
  if (part > length) {
    const all = Math.max(names.length, walk.names.length);
    const [shorter, longer] = names.length <= walk.names.length ? [called, "this record"] : ["This record", called];
    return `${shorter} is a beginning of ${longer}: ${length} of ${all} lines.`;
  }
  const early = sets.filter((one) => one.line === null || one.line < part).flatMap((one) => one.keys);
  const mine = new Set([...trust.filter(isKey), ...early]);
  const signers = new Set();
  let roster = [];
  for (const [i, line] of lines.entries()) {
    if (line.line === "roster") roster = line.members;
    const past = i >= part - 1 && line.line === "statement" && line.size >= part && line.size <= i;
    const key = roster[line.member]?.key;
    if (past && mine.has(key) && names[line.size - 1] === line.head && isSaid(walk.id, line, key)) signers.add(line.member);
  }
  const members = [...signers].sort((a, b) => a - b);
  require(!members.length, `there are two histories of this record: they part at line ${part}, and members ${joinItems(members)} signed the other.`);
  return `${called} parts from this record at line ${part}; no key you trust signed it past there.`;
}
