// The writer of a record in the page: the only place that knows the format's lines. The reader's modules give it its bytes.

import { encodeText, encodeUint64, encodeUint32, toHex, concatBytes, hmacSha256, sha256Of, fromHex } from "/verify/bytes.js";
import { drawBalls, locateBall, makeStream } from "/verify/draw.js";
import { dumpCanonical } from "/verify/schema.js";
import { allocateVoices, unitsPerVoice } from "./voices.js";
import { RULES, prepare } from "./rules.js";

export const DICE_FORM = { count: 9, low: 1, high: 6, order: "throw" };
const [VERSION, SOFTWARE, MAX_BLOCK] = [3, "isegoria page", 20];
const random = (size) => crypto.getRandomValues(new Uint8Array(size));

/** The root of a tree by RFC 6962. */
export function merkleRoot(leaves) {
  if (!leaves.length) return sha256Of();
  if (leaves.length === 1) return sha256Of(Uint8Array.of(0), leaves[0]);
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return sha256Of(Uint8Array.of(1), merkleRoot(leaves.slice(0, half)), merkleRoot(leaves.slice(half)));
}

export class RecordWriter {
  /** A record of members by name who decide among options; `source` is "rehearsal" (the page draws) or "dice". */
  constructor({ title, arms, names, source, block, bytes = random }) {
    Object.assign(this, { arms, names, source, lines: [], raws: [], round: 0, open: null, group: bytes(16), organiser: bytes(32) });
    this.people = names.map((name, n) => ({ name, n, salt: toHex(bytes(32)), secret: toHex(bytes(32)) }));
    this.write("charter", {
      format: "isegoria record", version: VERSION, group: toHex(this.group), title, arms, scale: ["0", "1"], privacy: "ballots", block: Math.min(MAX_BLOCK, block),
      learner: null, settings: {}, resting: 0, tie_break: "centre", turns: null, source: { kind: source }, software: SOFTWARE,
    });
    const members = this.people.map((one) => ({ commitment: toHex(this.commitment(one)), weight: 1, key: null, provenance: null, proof: null, organiser: 0, by_hand: 0 }));
    this.write("roster", { version: 1, members });
  }

  commitment({ salt, n, secret, name }) {
    return sha256Of(encodeText("isegoria member 3\0"), fromHex(salt), encodeUint32(n), fromHex(secret), encodeText(name));
  }

  pseudonym({ secret, n }, round) {
    return toHex(hmacSha256(secret, this.group, encodeUint64(round), encodeUint32(n)).subarray(0, 24));
  }

  write(kind, said) {
    const prev = this.raws.length ? toHex(sha256Of(this.raws.at(-1))) : "0".repeat(64), line = { line: kind, prev, ...said };
    this.lines.push(line);
    this.raws.push(encodeText(dumpCanonical(line)));
    return line;
  }

  /** The ratings of a member as a leaf: 1 for a favourite, 0 for all else. */
  leaf(person, round, set, at) {
    const nonce = toHex(hmacSha256(person.secret, encodeText("leaf\0"), this.group, encodeUint64(round), encodeText("ratings")));
    return encodeText(dumpCanonical({ at, nonce, round, signature: null, slot: null, values: this.arms.map((_, k) => (set.includes(k) ? "1" : "0")) }));
  }

  /** Fix a round: `answers` holds each member's favourites; who has given none goes along with everyone. */
  freeze(answers, at, title) {
    this.round += 1;
    const { round, arms } = this, all = arms.map((_, k) => k), block = this.lines[0].block;
    const ordered = this.people.map((one) => ({ ...one, who: this.pseudonym(one, round), set: answers[one.n] ?? [] })).sort((a, b) => (a.who < b.who ? -1 : 1));
    const sets = ordered.map(({ set }) => (set.length ? [...set].sort((a, b) => a - b) : all)), weights = sets.map(() => 1);
    const units = unitsPerVoice(sets.length), means = sets.map((set) => all.map((k) => (set.includes(k) ? 1 : 0)));
    const policy = RULES.procedural(prepare({ arms, agents: this.names, means, weights }));
    const { types, voices } = allocateVoices(sets, weights, policy, units);
    const told = ordered.filter(({ set }) => set.length);
    const leaves = told.map((one) => this.leaf(one, round, one.set, at));
    this.open = this.write("freeze", {
      round, at, roster: 1, available: all, block, title: [...title].slice(0, 80).join("") || "Draw", dice_form: this.source === "dice" ? DICE_FORM : null, occurrence: null, source_round: null,
      root: toHex(merkleRoot(leaves)), leaf_count: leaves.length, units, arm_units: voices, absent: [],
      types: types.map(({ candidates, leader, weight, units: row, members }) => ({ candidates, leader, weight, units: row, pseudonyms: members.map((i) => ordered[i].who) })),
    });
    this.policy = voices.map((one) => one / (units * sets.length));
    return this.open;
  }

  /** Draw the open round: from what the dice showed, or from this page's secret. What was drawn, and whose voice it was. */
  draw(thrown = null) {
    const frozen = sha256Of(this.raws.at(-1)), freeze = this.open;
    const source = thrown ? encodeText(thrown.map((one) => `${one}.`).join("")) : hmacSha256(toHex(this.organiser), frozen);
    const balls = drawBalls(freeze, makeStream(frozen, source)), places = balls.map((ball) => locateBall(freeze, ball));
    this.write("draw", { round: freeze.round, source_bytes: toHex(source), balls, arms: places.map(([arm]) => arm) });
    this.open = null;
    const names = new Map(this.people.map((one) => [this.pseudonym(one, freeze.round), one.name]));
    return { freeze, balls, drawn: places.map(([arm, who]) => ({ arm, who, name: names.get(who) })) };
  }

  bytes() {
    return concatBytes(...this.raws.flatMap((raw) => [raw, Uint8Array.of(10)]));
  }

  /** Whose row is whose, for who was in the room: the names file that verifiers read beside a record. */
  namesFile() {
    const members = this.people.map(({ name, salt, secret }) => ({ name, salt, secret }));
    return `${dumpCanonical({ format: "isegoria names", version: VERSION, group: toHex(this.group), members })}\n`;
  }
}

/** The numbers of a throw as typed: single digits together, or with anything between them; null if dice cannot show it. */
export function parseThrow(text, { count, low, high }) {
  const parts = text.trim().split(/[\s,.;]+/).filter(Boolean), digits = parts.length === 1 && high < 10 ? [...parts[0]] : parts;
  const numbers = digits.map((one) => (/^\d{1,9}$/.test(one) ? Number(one) : NaN));
  return numbers.length === count && numbers.every((one) => low <= one && one <= high) ? numbers : null;
}
