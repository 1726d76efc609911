// The walk: every line of a record in its order, everything recomputed. The order of checks is that of the page.

import { ascii, clean, eight, four, hex, joined, named, need, sha, unhex, words } from "./bytes.js";
import { ballsOf, place, thrown } from "./drawing.js";
import { checkFair, checkTrial, masked, speaks } from "./freezing.js";
import { AMENDABLE, canonical, check } from "./reading.js";
import { signed } from "./signing.js";

/** Which round a line is for: the one to come (so that none is open), the open one, or one that was drawn. */
const PLACES = new Map(Object.entries({
  amend: "to come", close: "to come", commit: "to come", freeze: "to come", witness: "open", reveal: "open",
  draw: "open", void: "open", ratings: "drawn", override: "drawn",
})); // prettier-ignore

const ascending = (map) => [...map.keys()].sort((a, b) => a - b);
const same = (a, b) => canonical(a) === canonical(b);
const revealed = (now) => joined(...ascending(now.reveals).flatMap((by) => [four(by), now.reveals.get(by)]));

export class Walk {
  constructor(raws, lines, head) {
    this.lines = lines;
    this.hashes = raws.map((raw) => sha(raw));
    this.names = this.hashes.map(hex);
    this.charter = { ...lines[0] };
    Object.assign(this, { rosters: [new Map()], size: 0, commits: new Map(), rounds: [], states: new Map([[1, "to come"]]) });
    Object.assign(this, { open: null, notes: [], beacons: [] });
    this.kept = head === null ? 0 : this.names.findIndex((name) => name === head || words(name) === head) + 1;
    need(head === null || this.kept > 0, "the kept head is not on this chain.");
  }

  run() {
    for (const [i, line] of this.lines.entries()) {
      const kind = line.line;
      this.number = i + 1;
      this.at = `line ${this.number} (${kind}): `;
      const before = i ? this.names[i - 1] : "0".repeat(64);
      this.must(line.prev === before, '"prev" is not the hash of the line before.');
      const begins = (kind === "charter") === (i === 0) && (kind === "roster" || i !== 1);
      this.must(begins, "a record begins with its charter and a roster, and has one charter.");
      const wanted = PLACES.get(kind);
      const round = line.round ?? this.rounds.length + (this.open ? 0 : 1);
      this.must(!wanted || this.states.get(round) === wanted, `it must be for a round that is ${wanted}.`);
      this.must(kind !== "close" || this.number === this.lines.length, "nothing may follow it.");
      this[`on_${kind}`]?.(line); // ratings and close change nothing
    }
    if (this.open) this.end(this.open, "open", revealed(this.open));
  }

  must(ok, sentence) {
    need(ok, this.at + sentence);
  }

  on_charter(line) {
    this.learns = line.learner !== null;
    this.group = unhex(line.group);
    this.units = line.units;
    const settled = this.learns || Object.keys(line.settings).length === 0;
    this.must((line.rules.trial === "lowest") === this.learns && settled, "trials and settings do not fit the learner.");
  }

  on_amend(line) {
    const { field, value } = line;
    const old = this.charter[field];
    const fits = check(AMENDABLE[field])(value) && (field !== "arms" || same(value.slice(0, old.length), old));
    this.must(fits, "the charter does not allow this; arms may only be added, behind those there are.");
    const strange = field === "source" && !old.fallback.some((one) => same(one, { ...value, fallback: [] }));
    const note = strange ? " It was not among the fallbacks." : "";
    this.notes.push(`Line ${this.number} amends ${field}: ${clean(line.reason)}${note}`);
    this.charter[field] = value;
  }

  on_roster(line) {
    const [old, size] = [this.rosters.at(-1), this.size];
    const now = new Map(line.members.flatMap((one, n) => (one ? [[n, one]] : [])));
    this.size = Math.max(size, line.members.length);
    const joined_ = [...now.keys()].filter((n) => n >= size);
    const left = ascending(old).filter((n) => !now.has(n));
    const stays = (n) => old.has(n) && same({ ...old.get(n), key: 0 }, { ...now.get(n), key: 0 });
    const fits = [...now.keys()].every((n) => n >= size || stays(n));
    const told = [line.version, line.joined, line.left];
    this.must(fits && same(told, [this.rosters.length, joined_, left]), "it does not follow from the roster before.");
    const keys = [...now.values()].flatMap((one) => (one.key ? [one.key] : []));
    this.must(now.size && new Set(keys).size === keys.length, "nobody is on it, or two members have one key.");
    const other = (n) => old.has(n) && old.get(n).key !== null && old.get(n).key !== now.get(n).key;
    const changed = [...now.keys()].filter(other);
    for (const [what, who] of [["joined", joined_], ["left", left], ["changed their keys", changed]]) {
      if (old.size && who.length) this.notes.push(`Line ${this.number}: members who ${what}: ${named(who)}.`);
    }
    this.rosters.push(now);
  }

  on_commit({ by, hash }) {
    const fits = this.charter.source.kind === "group" && this.rosters.at(-1).has(by) && !this.commits.has(by);
    this.must(fits, `the source is not the group, or member ${by} is not on the roster or stands here twice.`);
    this.commits.set(by, hash);
  }

  on_freeze(line) {
    const [{ source, arms }, roster, trial] = [this.charter, this.rosters.at(-1), line.kind === "trial"];
    const fits = line.roster === this.rosters.length - 1 && line.available.at(-1) < arms.length;
    this.must(fits, "it does not name the latest roster, or an available arm does not exist.");
    const spoken = speaks(this, line);
    if (trial) checkTrial(this, line);
    else checkFair(this, line, roster);
    const leftOut = masked(this, line);
    if (leftOut.length) this.notes.push(`Round ${line.round}: not available: ${leftOut.join(", ")}.`);
    this.open = {
      round: line.round, kind: line.kind, freeze: line, number: this.number, hash: this.hashes[this.number - 1], source,
      speaks: spoken, roster, keys: [...roster.values()].filter((one) => one.key).length,
      commits: source.kind === "group" ? this.commits : new Map(), reveals: new Map(), witnesses: new Map(),
      seen: 0, vouched: 0, signers: 0, sound: true, reason: "", put: new Map(),
      balls: [], arms: trial ? [line.arm] : [], voices: trial ? [null] : [],
    }; // prettier-ignore
    this.rounds.push(this.open);
    this.states.set(line.round, "open");
    this.commits = new Map();
  }

  signature(now, by, signature, what, said) {
    const key = now.roster.get(by)?.key;
    const message = joined(ascii(`isegoria ${what} 1\0`), this.hashes[0], now.hash, said);
    this.must(key && signed(key, signature, message), `member ${by} did not sign this with a key of the roster.`);
  }

  on_witness(line) {
    const [now, by, reveal] = [this.open, line.by, line.line === "reveal"];
    const [before, said] = reveal ? [now.reveals, unhex(line.value)] : [now.witnesses, eight(line.at)];
    this.must(line.freeze === hex(now.hash), "it is not for this freeze.");
    this.must(now.roster.has(by) && !before.has(by), `member ${by} is not on the roster, or stands here twice.`);
    const commit = () => hex(sha(ascii("isegoria commit 1\0"), this.group, eight(now.round), four(by), said));
    this.must(!reveal || now.commits.get(by) === commit(), `it does not open the commitment of member ${by}.`);
    if (line.signature) {
      this.signature(now, by, line.signature, line.line, said);
      if (reveal) now.vouched += 1;
      else if (!now.reveals.size && BigInt(line.at) < now.speaks) now.seen += 1;
    }
    before.set(by, said);
  }

  on_reveal(line) {
    this.on_witness(line);
  }

  /** The open round, which a draw or a void ends, with whoever signed it. */
  ending(line, what, said) {
    const now = this.open;
    this.open = null;
    now.signers = line.signatures.length;
    for (const one of line.signatures) this.signature(now, one.by, one.signature, what, said);
    return now;
  }

  on_draw(line) {
    const said = unhex(line.source_bytes ?? "");
    const now = this.ending(line, "value", said);
    const kind = now.kind === "fair" ? now.source.kind : "trial";
    const canSay = {
      rehearsal: () => said.length === 32,
      dice: () => thrown(said, now.freeze.form),
      group: () => said.length > 0 && hex(said) === hex(revealed(now)),
      beacon: () => said.length === 48,
      trial: () => said.length === 0,
    };
    this.must(canSay[kind](), "the source bytes are not what the source can say.");
    this.must(kind === "dice" || now.signers === 0, "only the value of dice is signed.");
    const { key } = now.source;
    if (kind === "beacon") this.beacons.push({ at: this.at, key, round: now.freeze.source_round, said });
    this.end(now, "drawn", said);
    const fits = same([line.balls, line.arms], [now.balls, now.arms]);
    this.must(fits, "balls and arms do not follow from the freeze and the source.");
  }

  on_void(line) {
    const now = this.ending(line, "void", eight(line.at));
    const [trial, everyone] = [now.kind === "trial", now.commits.size && now.reveals.size === now.commits.size];
    this.must(trial || !everyone, "the source had spoken.");
    const early = now.signers > 0 && now.reveals.size === 0 && BigInt(line.at) < now.speaks;
    Object.assign(now, { sound: trial || early, reason: clean(line.reason) });
    this.end(now, "void", revealed(now));
  }

  on_override(line) {
    const [then, { slot, by }, { arms }] = [this.rounds[line.round - 1], line, this.charter];
    this.must(slot < then.arms.length && line.arm < arms.length, "there is no such slot or arm.");
    this.must(!then.put.has(slot), "this slot was overridden before.");
    this.must(by === null || by < this.size, `member ${by} is not on the roster.`);
    then.put.set(slot, then === this.rounds.at(-1) ? line.arm : then.arms[slot]); // later it is no trial of the arm
    const [put, drawn] = [clean(arms[line.arm]), clean(arms[then.arms[slot]])];
    this.notes.push(`Round ${then.round}, slot ${slot}: ${put} was put in place of ${drawn}: ${clean(line.reason)}`);
  }

  /** End a round with what its source said, as far as it did, and note what a reader should know of it. */
  end(now, state, said) {
    now.state = state;
    this.states.set(now.round, state).set(now.round + 1, "to come");
    if (now.kind === "fair" && said.length) {
      now.balls = ballsOf(now.freeze, now.hash, said);
      const places = now.balls.map((ball) => place(now.freeze, ball));
      now.arms = places.map(([arm]) => arm);
      now.voices = places.map(([, voice]) => voice);
    }
    const ended = now.kind === "fair" && state !== "open";
    const silent = ended ? ascending(now.commits).filter((by) => !now.reveals.has(by)) : [];
    const idle = now.witnesses.size - now.seen;
    const note = (text) => this.notes.push(`Round ${now.round}: ${text}.`);
    if (idle) note(`witness lines that do not count (only claimed, or too late): ${idle}`);
    if (silent.length) note(`members who committed and did not reveal: ${named(silent)}`);
  }
}
