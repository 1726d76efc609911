// The walk: every line of a record in its order, everything recomputed. The order of checks is that of the page.

import { encodeText, sanitise, encodeUint64, encodeUint32, toHex, concatBytes, joinItems, require, quote, sha256Of, fromHex, encodeWords } from "./bytes.js";
import { drawBalls, locateBall, makeStream, isValidThrow } from "./draw.js";
import { checkFair, checkTrial, listMaskedArms, checkSource } from "./freeze.js";
import { AMENDABLE, dumpCanonical, getValidator } from "./schema.js";
import { isValidSignature } from "./signatures.js";
import { encodeStatement } from "./trust.js";
import { Ledger, TURNS_MISFIT, UNITS } from "./turns.js";

const ascending = (map) => [...map.keys()].sort((a, b) => a - b);
const same = (a, b) => dumpCanonical(a) === dumpCanonical(b);

/** The bytes of the say's value; none for null. */
const decodeValue = (value) => (value === null ? new Uint8Array(0) : fromHex(value));

/** The note on a beacon's round that is over without a draw. */
export function describeUndrawn({ round, freeze: { source_round: word } }) {
  return `Round ${round} was never drawn: anyone can look up round ${word} and compute what it gave.`;
}

export class RecordChecker {
  constructor(raws, lines, known = null) {
    this.lines = lines;
    this.hashes = raws.map((raw) => sha256Of(raw));
    this.names = this.hashes.map(toHex);
    this.known = known && this.names[known.size - 1] === known.head ? known.size : 0;
    this.id = this.hashes[1] ?? new Uint8Array(32); // a record of one line has no members and no signatures
    this.charter = { ...lines[0] };
    this.rosters = [new Map()]; // by version
    this.rosterAt = []; // the version in force after each line
    Object.assign(this, { size: 0, commits: new Map(), hashesCommitted: new Set(), rounds: [], says: [], latest: new Map() });
    Object.assign(this, { open: null, ended: null, notes: [], beacons: [], played: new Set(), lastOccurrence: -1, titles: new Map(), recent: [] });
    Object.assign(this, { compared: new Map(), away: 0, rested: lines[0].resting > 0 });
    Object.assign(this, { gamma: 0n, everResolved: false, armsAdded: 0, signedOver: new Map() });
  }

  /** The line of a kept head, counted from 1. */
  lineOf(head) {
    const line = this.names.findIndex((name) => name === head || encodeWords(name) === head) + 1;
    require(line > 0, "the kept head is not on this chain.");
    return line;
  }

  checkLines() {
    for (const [i, line] of this.lines.entries()) {
      const kind = line.line;
      this.number = i + 1;
      this.at = `line ${this.number} (${kind}): `;
      const before = i ? this.names[i - 1] : "0".repeat(64);
      this.require(line.prev === before, '"prev" is not the hash of the line before.');
      this.require(this.ended === null, `nothing may follow line ${this.ended}, which ended the record.`);
      const begins = (kind === "charter") === (i === 0) && (kind === "roster" || i !== 1);
      this.require(begins, "a record begins with its charter and a roster, and has one charter.");
      this.checkRoundState(line);
      this[`on_${kind}`](line);
      this.rosterAt.push(this.rosters.length - 1);
    }
    this.settleLastRound();
    this.indexSays();
    this.notes = this.notes.map((note) => (typeof note === "function" ? note() : note));
  }

  require(ok, sentence) {
    require(ok, this.at + sentence);
  }

  /** Which round a line is for: the one to come, the open one, or one that was drawn or tried. */
  checkRoundState({ line: kind, round }) {
    const then = this.rounds[round - 1];
    const fits = {
      freeze: ["to come", round === this.rounds.length + 1],
      trial: ["to come", round === this.rounds.length + 1],
      draw: ["open", this.open !== null && then === this.open],
      ratings: ["drawn", then !== undefined && (then.trial || then.drawn !== null)],
    }[kind];
    if (fits) this.require(fits[1], `it must be for a round that is ${fits[0]}.`);
  }

  on_charter(line) {
    this.learns = line.learner !== null;
    this.group = fromHex(line.group);
    this.turns = line.turns === null ? null : new Ledger(line.turns);
    this.require(!this.turns || this.turns.fits(line), TURNS_MISFIT);
  }

  /** With turns: the last round is over, and what it gave and took is carried on. */
  settleLastRound() {
    const last = this.rounds.at(-1);
    if (this.turns && last) this.turns.charge(last);
    if (last) this.countPlayed(last);
  }

  on_amend(line) {
    const { field, value } = line;
    const old = this.charter[field];
    this.require(!this.turns || field !== "block" || value === null, TURNS_MISFIT);
    const fits = getValidator(AMENDABLE[field])(value) && (field !== "arms" || same(value.slice(0, old.length), old));
    this.require(fits, "the charter does not allow this; arms may only be added, behind those there are.");
    if (field === "end") this.abandonOpenRound();
    this.notes.push(`Line ${this.number} amends ${field}: ${quote(line.reason)}`);
    if (field === "end") {
      this.ended = this.number;
      return;
    }
    if (field === "arms") this.armsAdded += value.length - old.length;
    if (field === "source") this.lastOccurrence = -1;
    if (field === "resting" && value > 0) this.rested = true;
    this.charter[field] = value;
  }

  on_roster(line) {
    const [old, size] = [this.rosters.at(-1), this.size];
    const now = new Map(line.members.flatMap((one, n) => (one ? [[n, one]] : [])));
    this.size = Math.max(size, line.members.length);
    const stays = (n) => old.has(n) && hasKeptEntry(old.get(n), now.get(n));
    const fits = line.version === this.rosters.length && [...now.keys()].every((n) => n >= size || stays(n));
    this.require(fits, "it does not follow from the roster before.");
    const keys = [...now.values()].flatMap((one) => (one.key ? [one.key] : []));
    this.require(now.size > 0 && new Set(keys).size === keys.length, "nobody is on it, or two members have one key.");
    for (const [n, { key, proof }] of now) {
      const known = key === null || key === old.get(n)?.key || this.number <= this.known;
      const message = () => concatBytes(encodeText("isegoria key 3\0"), this.group, encodeUint32(n), fromHex(key));
      this.require(known || isValidSignature(key, proof, message()), `member ${n} has not proved to hold the key that stands there.`);
    }
    const kept = [...now.keys()].filter((n) => old.has(n));
    const differ = (test) => kept.filter((n) => test(old.get(n), now.get(n)));
    const told = [
      ["members who joined", [...now.keys()].filter((n) => n >= size)],
      ["members who left", ascending(old).filter((n) => !now.has(n))],
      ["keys replaced", differ((a, b) => a.key !== null && a.key !== b.key)],
      ["organiser marks changed", differ((a, b) => a.organiser !== b.organiser)],
      ["marks of members by hand changed", differ((a, b) => a.by_hand !== b.by_hand)],
    ];
    for (const [what, who] of told) if (old.size && who.length) this.notes.push(`Line ${this.number}: ${what}: ${joinItems(who)}.`);
    this.rosters.push(now);
  }

  /** Whether member `by` signed a message with their key of the latest roster. */
  requireSignature(by, signature, message) {
    const key = this.rosters.at(-1).get(by)?.key;
    this.require(key && (this.number <= this.known || isValidSignature(key, signature, message)), `member ${by} did not sign this with a key of the roster.`);
    return key;
  }

  on_statement(line) {
    const { member: by, size, at, kind } = line;
    const known = size < this.number && line.head === this.names[size - 1];
    this.require(known, `member ${by} signed another history of this record.`);
    const said = decodeValue(line.value);
    const key = this.requireSignature(by, line.signature, encodeStatement(this.id, line));
    const mine = this.latest.get(by) ?? { size: 0, kinds: new Set() };
    const own = kind === "compare" ? line.value : kind;
    const ordered = size >= mine.size && !(size === mine.size && mine.kinds.has(own));
    this.require(ordered, `member ${by}'s signatures are out of order.`);
    this.latest.set(by, size > mine.size ? { size, kinds: new Set([own]) } : { size, kinds: mine.kinds.add(own) });
    const one = { line: this.number, by, key, size, at, kind, value: line.value };
    this[`statement_${kind}`]?.(one, said);
    this.says.push(one);
  }

  statement_commit({ by, key, value }) {
    const fits = this.charter.source.kind === "commit_reveal" && !this.commits.has(by) && !this.hashesCommitted.has(value);
    this.require(fits, `the commitment of member ${by} does not fit the source, or stands here twice.`);
    this.commits.set(by, { hash: value, key });
    this.hashesCommitted.add(value);
  }

  statement_reveal({ by, key, size }, said) {
    const [now, sentence] = [this.open, `it does not open the commitment of member ${by}.`];
    const asked = now && now.source.kind === "commit_reveal" && size >= now.number && !now.reveals.has(by);
    const hash = () => toHex(sha256Of(encodeText("isegoria commit 3\0"), this.id, encodeUint32(by), said));
    this.require(asked && now.commits.get(by)?.hash === hash(), sentence);
    now.reveals.set(by, { said, key });
  }

  statement_dice({ by, size }, said) {
    const now = this.open;
    const asked = now && now.source.kind === "dice" && size >= now.number && !now.confirmed.has(by);
    this.require(asked && isValidThrow(said, now.freeze.dice_form), `the throw that member ${by} confirms does not fit the open round.`);
    now.confirmed.add(by);
  }

  statement_compare({ by, value }) {
    const [other, key, roster] = [parseInt(value.slice(0, 8), 16), value.slice(8), this.rosters.at(-1)];
    const fits = other !== by && roster.get(other)?.key === key;
    this.require(fits, `member ${by} compared a key that is not on the roster, or their own.`);
    if (!roster.get(by).organiser) this.compared.set(value, (this.compared.get(value) ?? new Set()).add(by));
  }

  /** What a freeze and a trial have in common: the round before is over, and this one begins. */
  beginRound(line, begun) {
    const resting = this.restingArms();
    const leftOut = listMaskedArms(this, line);
    if (leftOut.length) this.notes.push(`Round ${line.round}: not available: ${leftOut.map(quote).join(", ")}.`);
    if (line.available.some((arm) => resting.has(arm))) this.notes.push(`Round ${line.round}: only arms that rest were on offer.`);
    const own = { round: line.round, line, number: this.number, hash: this.hashes[this.number - 1], leftOut: leftOut.length > 0 };
    const round = { ...own, source: this.charter.source, roster: this.rosters.at(-1), version: line.roster, put: new Map(), numbers: this.size, saysFrom: this.says.length, ...begun };
    this.rounds.push(round);
    return round;
  }

  /** The arms that rest: those of the last rounds that played any. */
  restingArms() {
    const k = this.charter.resting;
    return new Set(k ? this.recent.slice(-k).flat() : []);
  }

  checkResting(line) {
    const resting = this.restingArms();
    const many = line.available.filter((arm) => resting.has(arm)).length;
    this.require(many === 0 || many === line.available.length, "an arm that rests is on offer beside others.");
  }

  checkRoster(line) {
    const fits = line.roster === this.rosters.length - 1 && line.available.at(-1) < this.charter.arms.length;
    this.require(fits, "it does not name the latest roster, or an available arm does not exist.");
    this.settleLastRound();
    if (!this.turns) return;
    this.require(line.block === this.turns.worlds, TURNS_MISFIT);
    this.require(line.units === UNITS, "the units are not those of turns.");
    this.require(!line.available.some((arm) => this.turns.spent.has(arm)), "an option that was used up is on offer again.");
  }

  on_trial(line) {
    this.abandonOpenRound();
    this.checkRoster(line);
    checkSource(this, line);
    this.checkResting(line);
    checkTrial(this, line);
    this.beginRound(line, { trial: true, drawn: null, arms: [line.arm], balls: [], voices: [null] });
  }

  on_freeze(line) {
    this.abandonOpenRound();
    this.checkRoster(line);
    const word = checkSource(this, line);
    this.checkResting(line);
    const gamma = checkFair(this, line, this.rosters.at(-1));
    if (gamma > this.gamma) this.gamma = gamma;
    this.everResolved ||= line.types.some((one) => one.leader === null);
    const begun = { trial: false, freeze: line, speaks: word, drawn: null, arms: [], balls: [], voices: [] };
    this.open = this.beginRound(line, { ...begun, commits: this.commits, reveals: new Map(), confirmed: new Set() });
    const before = this.titles.get(line.title);
    if (before !== undefined) this.notes.push(`Round ${line.round}: the title of round ${before} again.`);
    this.titles.set(line.title, line.round);
    const away = line.absent.reduce((sum, one) => sum + one.pseudonyms.length, 0);
    if (away) this.notes.push(`Round ${line.round}: members away: ${away}.`);
    this.away += away;
    this.commits = new Map();
  }

  on_draw(line) {
    const now = this.open;
    const said = fromHex(line.source_bytes);
    const { kind, key } = now.source;
    if (kind === "commit_reveal") {
      for (const by of ascending(now.commits)) this.require(now.reveals.has(by), `the number of member ${by} is missing.`);
    }
    const numbers = () => concatBytes(...ascending(now.commits).flatMap((by) => [encodeUint32(by), now.reveals.get(by).said]));
    const canSay = {
      rehearsal: () => said.length === 32,
      dice: () => isValidThrow(said, now.freeze.dice_form),
      commit_reveal: () => toHex(said) === toHex(numbers()),
      beacon: () => said.length === 48,
    };
    this.require(canSay[kind](), "the source bytes are not what the source can say.");
    if (kind === "beacon" && this.number > this.known) this.beacons.push({ at: this.at, key, round: now.freeze.source_round, said });
    const below = makeStream(now.hash, said);
    now.balls = this.turns ? this.turns.balls(now.freeze, below) : drawBalls(now.freeze, below);
    const places = now.balls.map((ball) => locateBall(now.freeze, ball));
    now.arms = places.map(([arm]) => arm);
    now.voices = places.map(([, voice]) => voice);
    const fits = same([line.balls, line.arms], [now.balls, now.arms]);
    this.require(fits, "balls and arms do not follow from the freeze and the source.");
    Object.assign(now, { drawn: this.number, said: line.source_bytes, saysTo: this.says.length });
    this.open = null;
  }

  on_ratings() {} // what is under the root is looked at with a receipt

  on_override(line) {
    const [then, { slot, member: by, arm }, { arms }] = [this.rounds[line.round - 1], line, this.charter];
    const there = then && slot < (then.trial || this.turns ? 1 : then.freeze.block) && arm < arms.length;
    this.require(there, "there is no such slot or arm.");
    this.require(!then.put.has(slot), "this slot was overridden before.");
    this.require(by === null || by < this.size, `member ${by} is not on the roster.`);
    if (by !== null) {
      const parts = [encodeUint32(by), encodeUint64(line.round), encodeUint32(slot), encodeUint32(arm), sha256Of(encodeText(line.reason))];
      this.requireSignature(by, line.signature, concatBytes(encodeText("isegoria override 3\0"), this.id, ...parts));
    }
    then.put.set(slot, { arm, inTime: then === this.rounds.at(-1), line: this.number });
    const whose = by === null ? "By the keeper." : `By member ${by}.`;
    this.notes.push(() => {
      const drawn = then.arms[slot]; // perhaps later than this line
      const instead = drawn === undefined ? "was put in, with nothing drawn" : `was put in place of ${quote(arms[drawn])}`;
      return `Round ${then.round}, slot ${slot}: ${quote(arms[arm])} ${instead}: ${quote(line.reason)} ${whose}`;
    });
  }

  /** For each key {sizes, times}: sizes descending, and the least time at which it signed at least that size. */
  indexSays() {
    this.signers = new Map();
    for (const { key, size, at } of [...this.says].sort((a, b) => b.size - a.size)) {
      if (!this.signers.has(key)) this.signers.set(key, { sizes: [], times: [] });
      const { sizes, times } = this.signers.get(key);
      sizes.push(size);
      times.push(Math.min(at, times.at(-1) ?? at));
    }
  }

  /** The least time at which a key signed so many lines or more; Infinity if it never did. */
  firstSignatureTime(key, size) {
    const { sizes, times } = this.signers.get(key) ?? { sizes: [], times: [] };
    let [low, high] = [0, sizes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sizes[middle] >= size) low = middle + 1;
      else high = middle;
    }
    return low ? times[low - 1] : Infinity;
  }

  /** The round that was open is over: never drawn, for good. */
  abandonOpenRound() {
    const now = this.open;
    this.open = null;
    if (now?.source.kind === "beacon") this.notes.push(describeUndrawn(now));
  }

  /** The arms that a round played count from now on, as they stand: a slot put in in time is the arm put in. */
  countPlayed(last) {
    const put = (slot) => (last.put.get(slot)?.inTime ? last.put.get(slot).arm : undefined);
    const drawn = last.trial || last.drawn !== null;
    const arms = drawn ? last.arms.map((arm, slot) => put(slot) ?? arm) : [];
    const own = this.turns ? [put(0) ?? arms[0]].filter((arm) => arm !== undefined) : arms;
    for (const arm of own) this.played.add(arm);
    if (own.length) this.recent.push(own);
  }
}

/** What does not change while a member stays: weight, commitment and, with their key, its proof and origin. */
function hasKeptEntry(old, now) {
  const keys = ["weight", "commitment", ...(old.key === now.key ? ["proof", "provenance"] : [])];
  return keys.every((key) => same(old[key], now[key]));
}
