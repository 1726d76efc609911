// The walk: every line of a record in its order, everything recomputed. The order of checks is that of the page.

import { TOP, ascii, clean, eight, exactSum, four, hex, joined, need, sha, unhex, words } from "./bytes.js";
import { ballsOf, largestProduct, outcomes, place, thrown } from "./drawing.js";
import { canonical } from "./reading.js";
import { signed } from "./signing.js";

export const QUICKNET = {
  chain: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
  genesis: 1692803367,
  period: 3,
  key:
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451" +
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
};

const ascending = (map) => [...map.keys()].sort((a, b) => a - b);
const same = (a, b) => canonical(a) === canonical(b);
const revealed = (now) => joined(...ascending(now.reveals).flatMap((by) => [four(by), unhex(now.reveals.get(by).value)]));

function derive(now, said) {
  now.balls = ballsOf(now.freeze, now.hash, said);
  const places = now.balls.map((ball) => place(now.freeze, ball));
  now.arms = places.map(([arm]) => arm);
  now.voices = places.map(([, voice]) => voice);
}

/** -1, 0 or 1: types are in the order of their sets, then of their weights. */
function order(a, b) {
  for (let i = 0; i < Math.min(a.set.length, b.set.length); i++) if (a.set[i] !== b.set[i]) return a.set[i] - b.set[i];
  return a.set.length - b.set.length || a.weight - b.weight;
}

export class Walk {
  constructor(raws, lines, head) {
    this.lines = lines;
    this.hashes = raws.map((raw) => sha(raw));
    this.names = this.hashes.map(hex);
    this.charter = { ...lines[0] };
    Object.assign(this, { rosters: [], rounds: [], notes: [], beacons: [], widths: [], commits: new Map() });
    Object.assign(this, { open: null, closed: false, played: new Set(), pending: [], occasion: -1, coarse: false });
    lines.forEach((line, i) => {
      const before = i ? this.names[i - 1] : "0".repeat(64);
      need(line.prev === before, `line ${i + 1}: "prev" is not the hash of the line before.`);
    });
    this.kept = head === null ? 0 : this.names.findIndex((name) => name === head || words(name) === head) + 1;
    need(head === null || this.kept > 0, "the kept head is not on this chain.");
  }

  run() {
    for (const [i, line] of this.lines.entries()) {
      const kind = line.line;
      this.number = i + 1;
      this.at = `line ${this.number} (${kind}): `;
      this.must((kind === "charter") === (i === 0), "a record begins with its charter, and has one.");
      this.must(i !== 1 || kind === "roster", "the second line is a roster.");
      this.must(!this.closed, "the record was closed before.");
      if (kind === "charter") this.on_charter(line);
      else this[kind](line);
      this.widths.push(this.charter.arms.length);
    }
    const now = this.open;
    if (now?.kind === "trial") Object.assign(now, { arms: [now.freeze.arm], voices: [null] });
    else if (now && now.reveals.size && now.reveals.size === now.commits.size) derive(now, revealed(now));
    if (now) this.end(now, "open");
  }

  must(ok, sentence) {
    need(ok, this.at + sentence);
  }

  pinned(source) {
    for (const one of [source, ...source.fallback]) {
      const named = one.chain === QUICKNET.chain || one.key === QUICKNET.key;
      const right = Object.entries(QUICKNET).every(([key, value]) => one[key] === value);
      this.must(right || !named, "these are not the parameters of quicknet.");
    }
  }

  on_charter(line) {
    this.pinned(line.source);
    this.learns = line.learner !== null;
    this.group = unhex(line.group);
    this.units = line.units;
    const settled = this.learns || Object.keys(line.settings).length === 0;
    this.must((line.rules.trial === "lowest") === this.learns && settled, "trials and settings do not fit the learner.");
  }

  amend(line) {
    const { field, value } = line;
    let note = "";
    if (field === "source") {
      this.pinned(value);
      const bare = (one) => canonical({ ...one, fallback: [] });
      const foreseen = this.charter.source.fallback.some((one) => bare(one) === bare(value));
      note = foreseen ? "" : " It was not among the fallbacks.";
      this.occasion = -1;
    }
    this.must(!this.open, `round ${this.rounds.length} is open; amendments wait for its draw.`);
    const extends_ = field !== "arms" || same(value.slice(0, this.charter.arms.length), this.charter.arms);
    this.must(extends_, "arms may only be added, behind those there are.");
    this.charter[field] = value;
    this.notes.push(`Line ${this.number} amends ${field}: ${clean(line.reason)}${note}`);
  }

  roster(line) {
    const [before, after] = [this.rosters.at(-1) ?? [], line.members];
    const pairs = before.slice(0, after.length).map((old, n) => [old, after[n]]);
    const kept = ([old, now]) => now === null || (old && same({ ...old, key: 0 }, { ...now, key: 0 }));
    const left = pairs.flatMap(([old, now], n) => (old && !now ? [n] : []));
    const joined_ = after.slice(before.length).map((_, i) => before.length + i);
    let fits = after.length >= before.length && pairs.every(kept) && joined_.every((n) => after[n]);
    fits = fits && same([line.joined, line.left], [joined_, left]);
    const keys = after.flatMap((one) => (one?.key ? [one.key] : []));
    this.must(line.version === this.rosters.length + 1, "the version is not the next one.");
    this.must(fits, "members do not follow from the roster before.");
    this.must(after.some(Boolean), "nobody is on it.");
    this.must(new Set(keys).size === keys.length, "two members have one key.");
    if (before.length && joined_.length + left.length) {
      this.notes.push(`Line ${this.number}: ${joined_.length} joined, ${left.length} left.`);
    }
    pairs.forEach(([old, now], n) => {
      const changed = old && now && old.key !== null && old.key !== now.key;
      if (changed) this.notes.push(`Line ${this.number}: the key of member ${n} was changed.`);
    });
    this.rosters.push(after);
  }

  member(roster, by) {
    this.must(roster[by], `member ${by} is not on the roster.`);
    return roster[by];
  }

  commit(line) {
    const { by, round } = line;
    this.must(this.charter.source.kind === "group", "the source is not the group.");
    this.must(!this.open && round === this.rounds.length + 1, "it is not for the round that comes next.");
    this.member(this.rosters.at(-1), by);
    this.must(!this.commits.has(by), `member ${by} has committed before.`);
    this.commits.set(by, line.hash);
  }

  freeze(line) {
    const { occasion, source_round: due } = line;
    const source = this.charter.source;
    const fair = line.kind === "fair";
    const [beacon, dice, group] = ["beacon", "dice", "group"].map((kind) => source.kind === kind);
    this.must(!this.open, `round ${this.rounds.length} is still open.`);
    this.must(line.round === this.rounds.length + 1, "the round is not the next one.");
    this.must(line.roster === this.rosters.length, "it does not name the latest roster.");
    this.must(line.available.at(-1) < this.charter.arms.length, "an available arm does not exist.");
    let fits = (occasion !== null) === beacon && (due !== null) === (beacon && fair);
    fits = fits && (line.event !== null) === (dice && fair) && (line.form === null || (dice && fair));
    this.must(fits, "occasion, event, form or source round do not fit the source.");
    this.must(!beacon || occasion > this.occasion, "the occasion is not after the last one.");
    this.must(due === null || BigInt(due) === timetable(source, occasion), "the source round is not the timetable's.");
    this.must(!line.form || outcomes(line.form) >= 1000000n, "the form has fewer than a million outcomes.");
    this.must(!(fair && group) || this.commits.size > 0, "nobody committed.");
    for (const arm of this.pending) this.played.add(arm);
    if (fair) this.fair(line);
    else this.trial(line);
    const skips = beacon ? occasion - this.occasion - 1 : 0;
    this.open = {
      round: line.round, kind: line.kind, state: "open", freeze: line, hash: this.hashes[this.number - 1], source,
      speaks: due === null ? null : BigInt(source.genesis) + (BigInt(due) - 1n) * BigInt(source.period),
      roster: this.rosters.at(-1), names: this.charter.arms, commits: this.commits, reveals: new Map(), witnesses: new Map(),
      seen: 0, late: 0, signers: 0, balls: [], arms: [], voices: [], overridden: new Set(), void: null, sound: true,
      keys: this.rosters.at(-1).filter((one) => one?.key).length, skipped: [this.occasion + 1, skips],
    }; // prettier-ignore
    this.rounds.push(this.open);
    Object.assign(this, { commits: new Map(), pending: [], occasion: beacon ? occasion : -1 });
  }

  trial(line) {
    const lists = [line.voices, line.explore, line.types].every((list) => list.length === 0);
    const empty = lists && line.answered === 0 && line.block === 1 && line.tally_root === hex(sha());
    this.must(empty && this.learns, "it is not in the form of a trial.");
    const lowest = line.available.find((arm) => !this.played.has(arm));
    this.must(lowest !== undefined && lowest === line.arm, "the arm is not the lowest available one never played.");
  }

  fair(line) {
    const { types, voices, explore, block } = line;
    const [k, usual, units] = [this.charter.arms.length, this.charter.block, BigInt(this.units)];
    const available = new Set(line.available);
    const numeric = (list) => list.sort((a, b) => a - b);
    const weights = numeric(this.rosters.at(-1).filter(Boolean).map((one) => one.weight));
    const weight = exactSum(weights);
    this.must(line.arm === null, "a fair round names no arm.");
    const rows = [voices, explore, ...types.map((one) => one.units)];
    this.must(rows.every((row) => row.length === k), "a row does not have one entry for each arm.");
    this.must(line.answered <= weights.length, "more answers than members.");
    this.must(types.every((one, i) => i === 0 || order(types[i - 1], one) < 0), "the types are not in order.");
    const allowed = types.every((one) => one.set.every((arm) => available.has(arm)));
    this.must(allowed, "a set holds an arm that is not available.");
    this.must(types.every(insideItsSet), "units lie outside the set.");
    const full = types.every((one) => exactSum(one.units) === BigInt(one.weight) * units);
    this.must(full, "a row is not its weight times the units.");
    const who = types.flatMap((one) => one.who);
    this.must(new Set(who).size === who.length, "a pseudonym stands twice.");
    const held = numeric(types.flatMap((one) => one.who.map(() => one.weight)));
    this.must(same(held, weights), "the members are not those of the roster.");
    const sums = new Array(k).fill(0); // whatever is above 2^53 here is no voice of a record, exact or not
    for (const one of types) one.units.forEach((unit, arm) => (sums[arm] += unit * one.who.length));
    this.must(types.length > 0 && voices.every((voice, arm) => voice === sums[arm]), "the voices are not the sums of the rows.");
    const most = Math.min(weights.length, 20);
    const blocks = usual ? [usual] : [most, this.learns ? 1 : most];
    this.must(blocks.includes(block), "the block is not the charter's.");
    const extra = exactSum(explore);
    const total = weight * units + extra;
    this.must(total <= BigInt(TOP) && total % BigInt(block) === 0n, "the drum is too large, or the block does not divide it.");
    const tried = explore.flatMap((unit, arm) => (unit ? [arm] : []));
    const doubted = new Set(types.filter((one) => one.set.length > 1).flatMap((one) => one.set));
    const even = tried.every((arm) => explore[arm] === explore[tried[0]] && explore[arm] % block === 0);
    const sound = this.learns && even && tried.every((arm) => doubted.has(arm) && available.has(arm));
    this.must(extra === 0n || sound, "exploration is not equal over arms in doubt.");
    const [p, q] = this.charter.explore_max.split("/").map(BigInt);
    this.must(extra * q <= p * total, "exploration is more than the charter allows.");
    this.coarse ||= 100n * BigInt(k) * weight > units; // too few units for the certificate to say much
    const million = 1000000n; // 1 + 10^-6 + K·W/U, as a fraction
    const limit = [million * units + units + million * BigInt(k) * weight, million * units];
    this.must(largestProduct(types, voices, units, limit), "the policy is not one of largest product.");
  }

  signature(now, by, signature, what, said) {
    const { key } = this.member(now.roster, by);
    this.must(key !== null, `member ${by} has no key on the roster.`);
    const message = joined(ascii(`isegoria ${what} 1\0`), this.hashes[0], now.hash, said);
    this.must(signed(key, signature, message), `the signature of member ${by} is wrong.`);
  }

  witness(line) {
    const [now, by, reveal] = [this.open, line.by, line.line === "reveal"];
    this.must(now && !(reveal && now.source.kind !== "group"), "no such round is open.");
    this.must(line.freeze === hex(now.hash) && (line.round ?? now.round) === now.round, "it is not for this freeze.");
    this.member(now.roster, by);
    const before = reveal ? now.reveals : now.witnesses;
    this.must(!before.has(by), `member ${by} stands here twice.`);
    const said = reveal ? unhex(line.value) : eight(line.at);
    const commit = () => hex(sha(ascii("isegoria commit 1\0"), this.group, eight(now.round), four(by), said));
    this.must(!reveal || now.commits.get(by) === commit(), `it does not open the commitment of member ${by}.`);
    before.set(by, line);
    if (line.signature === null) return;
    this.signature(now, by, line.signature, line.line, said);
    if (reveal) return;
    const early = now.reveals.size === 0 && (now.speaks === null || BigInt(line.at) < now.speaks);
    now[early ? "seen" : "late"] += 1;
  }

  reveal(line) {
    this.witness(line);
  }

  ending(line) {
    const now = this.open;
    this.must(now && line.round === now.round, "no such round is open.");
    this.open = null;
    now.signers = line.signatures.length;
    return now;
  }

  draw(line) {
    const now = this.ending(line);
    if (now.kind === "trial") {
      Object.assign(now, { arms: [now.freeze.arm], voices: [null] });
      const given = [line.source_bytes, line.balls, line.signatures, line.arms];
      this.must(same(given, [null, [], [], now.arms]), "it is not the draw of a trial.");
    } else {
      const [kind, said] = [now.source.kind, unhex(line.source_bytes ?? "")];
      const size = { rehearsal: 32, beacon: 48 }[kind] ?? said.length;
      const fits = said.length > 0 && said.length === size && (kind !== "dice" || thrown(said, now.freeze.form));
      this.must(fits, "the source bytes do not have the form of the source.");
      const theirs = kind !== "group" || hex(said) === hex(revealed(now));
      this.must(theirs, "the source bytes are not the members' reveals.");
      this.must(kind === "dice" || line.signatures.length === 0, "only the value of dice is signed.");
      for (const one of line.signatures) this.signature(now, one.by, one.signature, "value", said);
      const { key } = now.source;
      if (kind === "beacon") this.beacons.push({ at: this.at, key, round: now.freeze.source_round, said });
      derive(now, said);
      this.must(same(line.balls, now.balls), "the balls do not follow from the freeze and the source.");
      this.must(same(line.arms, now.arms), "the arms do not follow from the balls.");
    }
    this.pending = [...now.arms];
    this.end(now, "drawn");
  }

  void(line) {
    const now = this.ending(line);
    const [trial, group] = [now.kind === "trial", now.source.kind === "group"];
    this.must(!(trial && line.signatures.length), "a trial's void is not signed.");
    for (const one of line.signatures) this.signature(now, one.by, one.signature, "void", eight(line.at));
    this.must(trial || !group || now.reveals.size < now.commits.size, "the source had spoken.");
    const early = now.reveals.size === 0 && (now.speaks === null || BigInt(line.at) < now.speaks);
    now.sound = trial || (now.signers > 0 && early);
    now.void = clean(line.reason);
    if (group && now.reveals.size && !trial) derive(now, revealed(now));
    this.end(now, "void");
  }

  ratings(line) {
    this.must(this.rounds[line.round - 1]?.state === "drawn", `round ${line.round} has not been drawn.`);
  }

  override(line) {
    this.ratings(line);
    const [then, { slot, by }, { arms }] = [this.rounds[line.round - 1], line, this.charter];
    this.must(slot < then.arms.length && line.arm < arms.length, "there is no such slot or arm.");
    this.must(!then.overridden.has(slot), "this slot was overridden before.");
    this.must(by === null || by < this.rosters.at(-1).length, `member ${by} is not on the roster.`);
    then.overridden.add(slot);
    if (this.pending.length && then === this.rounds.at(-1)) this.pending[slot] = line.arm;
    const [put, drawn] = [clean(arms[line.arm]), clean(arms[then.arms[slot]])];
    this.notes.push(`Round ${then.round}, slot ${slot}: ${put} was put in place of ${drawn}: ${clean(line.reason)}`);
  }

  close() {
    this.must(!this.open, `round ${this.rounds.length} is still open.`);
    this.closed = true;
  }

  /** End a round, and note what a reader should know of it. */
  end(now, state) {
    now.state = state;
    const masked = now.names.filter((_, arm) => !now.freeze.available.includes(arm)).map(clean);
    if (masked.length) this.notes.push(`Round ${now.round}: not available: ${masked.join(", ")}.`);
    const [first, skips] = now.skipped;
    if (skips === 1) this.notes.push(`Occasion ${first} was skipped before round ${now.round}.`);
    if (skips > 1) this.notes.push(`Occasions ${first} to ${first + skips - 1} were skipped before round ${now.round}.`);
    const note = (count, noun, one, more, rest) => {
      const counted = count === 1 ? `1 ${noun} ${one}` : `${count} ${noun}s ${more}`;
      if (count) this.notes.push(`Round ${now.round}: ${counted} ${rest}`);
    };
    const unsigned = (lines) => [...lines.values()].filter((line) => line.signature === null).length;
    note(unsigned(now.witnesses), "witness line", "is", "are", "claimed, not signed.");
    note(now.late, "witness line", "came", "came", "too late to count.");
    const silent = state === "open" || now.kind === "trial" ? [] : ascending(now.commits).filter((by) => !now.reveals.has(by));
    for (const by of silent) this.notes.push(`Round ${now.round}: member ${by} committed and did not reveal.`);
    note(unsigned(now.reveals), "reveal", "is", "are", "not signed.");
  }
}

function insideItsSet({ set, units }) {
  const own = new Set(set);
  return units.every((unit, arm) => unit === 0 || own.has(arm));
}

function timetable({ first, every, genesis, period }, occasion) {
  const due = BigInt(first) + BigInt(occasion) * BigInt(every) - BigInt(genesis);
  return (due + BigInt(period) - 1n) / BigInt(period) + 1n;
}
