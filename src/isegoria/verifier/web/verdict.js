// The answer in sentences: the first line, the rounds, what is proved, what is not, and what to know.

import { maximum, minimum, joinItems, quote, encodeWords } from "./bytes.js";
import { findLastSignedLine, collectKeySets } from "./trust.js";
import { describeUndrawn } from "./record-checker.js";

const selectTexts = (pairs) => pairs.flatMap(([holds, text]) => (holds ? [text] : []));
const numbers = (rounds) => joinItems(rounds.map((one) => one.now.round));
const ONE = 1n << 128n;
const NOBODY = "Consistent: everything recomputes. No key here is another's than the organiser's.";

/** The whole answer to a reader, as plain data. */
export function buildVerdict(walk, reader) {
  const { rounds, sets, trust } = reader;
  const proved = rounds.filter((one) => one.status === "proved");
  const exit_code = isProvedForReader(rounds, proved) ? 0 : 3;
  const judge = sets.at(-1) ?? null;
  const signedLast = judge?.keys.length ? findLastSignedLine(walk, judge, reader.quorum) : null;
  const sentence = summariseVerdict(walk, reader, proved, exit_code) + summariseExceptions(walk, rounds);
  const head = walk.names.at(-1);
  return {
    verdict: exit_code === 0 ? "proved" : "consistent", sentence, exit_code, head, words: encodeWords(head),
    trust: trust.length ? sets.map(({ line, keys, members }) => ({ line, keys, members })) : [],
    beta: proved.length ? minimum(proved.map((one) => one.beta)) : null,
    gamma: walk.everResolved ? formatRoundedUp(walk.gamma) : null,
    last_signed: signedLast && { line: signedLast.line, at: signedLast.at },
    rounds: rounds.map((one) => describeRound(walk, one)),
    proved: listProvedClaims(walk, reader, proved),
    unproved: listUnprovedClaims(walk, reader, judge, signedLast),
    notes: [...walk.notes, ...collectNotes(walk, rounds.at(-1)), ...reader.against],
    owed: walk.turns ? walk.turns.list() : null,
  }; // prettier-ignore
}

/** Exit 0: something is proved, nothing judged is open to doubt, and what is not ripe yet came last. */
function isProvedForReader(rounds, proved) {
  const last = proved.at(-1)?.now.round ?? 0;
  const bad = (one) => (one.n !== null && (one.status === "consistent" || one.status === "undrawn")) ||
    (one.status === "ripening" && one.now.round < last);
  return proved.length > 0 && !rounds.some(bad);
}

function summariseVerdict(walk, reader, proved, exit_code) {
  const { rounds, trust } = reader;
  if (exit_code === 0) {
    const judged = rounds.find((one) => one.n !== null).now.round;
    const [from, to] = [judged, proved.at(-1).now.round];
    const which = from === to ? `Round ${to}` : `Rounds ${from} to ${to}`;
    const draws = from === to ? "its draw" : `each of the ${proved.length} draws`;
    const follows = walk.charter.turns?.mode === "settled" ? "the rule of turns was followed; unless options tied, the result could be known beforehand."
      : `${draws} follows from a page that was fixed before its randomness could be known.`;
    return `${which}: proved for you, ${describeFalseKeys(walk, reader, proved)}: ${follows}`;
  }
  const recomputes = "Consistent: everything recomputes";
  if (!rounds.some((one) => one.now.drawn !== null)) return `${recomputes}, and nothing was drawn.`;
  if (!trust.length) return summariseMembersTrust(walk, reader, recomputes);
  if (trust.includes("members") && reader.sets.every((one) => one.keys.length === 0)) return NOBODY;
  const bad = rounds.filter((one) => ["undrawn", "unjudged", "consistent", "ripening"].includes(one.status));
  const list = (some) => (some.length ? `rounds ${numbers(some)}` : "none");
  return "Consistent, not proved for you: everything recomputes, but not all is bound by the keys you trust. " +
    `Proved: ${list(proved)}; not proved: ${list(bad)}.`;
}

/** What the reader would know who trusted the members of the heads that she kept. */
function summariseMembersTrust(walk, reader, recomputes) {
  const open = `${recomputes}. Say whom you trust (--trust)`;
  if (!reader.heads.some((line) => line >= 2)) return `${open}.`;
  const sets = collectKeySets(walk.lines, ["members"], reader.heads, reader.people);
  const other = { ...reader, sets, trust: ["members"], quorum: null };
  const proved = walk.rounds.map((now) => reader.judged(walk, now, other)).filter((one) => one.status === "proved");
  if (!proved.length) return `${open}: with "members", no round is proved.`;
  const { beta, one } = findWeakestRound(proved);
  const condition = `unless ${beta} or more of ${one.n} keys (of ${one.members} members then) were false, ${theirs(walk, other, one)}`;
  return `${open}: with "members", rounds ${numbers(proved)} are proved ${condition}.`;
}

/** That the reader takes each key for its member's own. */
const theirs = (walk, reader, one) => `provided these keys are theirs (${nameKeys(walk, reader, one)})`;

/** "unless β or more of the n keys you trust … were false", of the last round with the least β. */
function describeFalseKeys(walk, reader, proved) {
  const { beta, one } = findWeakestRound(proved);
  if (one.n === 1) return `unless this key was false, provided it is theirs (${nameKeys(walk, reader, one)})`;
  return `unless ${beta} or more of the ${one.n} keys you trust (of ${one.members} members then) were false, ${theirs(walk, reader, one)}`;
}

function findWeakestRound(proved) {
  const beta = minimum(proved.map((one) => one.beta));
  return { beta, one: proved.findLast((each) => each.beta === beta) };
}

/** The keys of a round's T: as names, else numbers, else their first digits. */
export function nameKeys(walk, { sets, people }, one) {
  const judge = sets.findLast((each) => each.from <= one.now.number && each.keys.length);
  const roster = walk.rosters[judge.line === null ? one.now.version : walk.rosterAt[judge.line - 1]];
  const owners = new Map([...roster].flatMap(([n, entry]) => (entry.key ? [[entry.key, n]] : [])));
  const called = judge.keys.map((key) => {
    const n = owners.get(key);
    return { n: n ?? Infinity, text: n === undefined ? key.slice(0, 8) : people?.members[n] ? quote(people.members[n].name) : String(n) };
  });
  return joinItems(called.sort((a, b) => a.n - b.n).map(({ text }) => text));
}

function summariseExceptions(walk, rounds) {
  const fair = walk.rounds.filter((now) => !now.trial);
  const of = (status) => rounds.filter((one) => one.status === status);
  const put = walk.rounds.reduce((sum, now) => sum + now.put.size, 0);
  const tried = walk.rounds.length - fair.length;
  const left = walk.rounds.filter((now) => now.leftOut).length;
  return selectTexts([
    [of("ripening").length, ` Not yet: rounds ${numbers(of("ripening"))}.`],
    [of("undrawn").length, ` Never drawn: rounds ${numbers(of("undrawn"))}.`],
    [put, ` Played otherwise: ${put} slots.`],
    [tried, ` Tried without a draw: ${tried} rounds.`],
    [left, ` Arms left out: ${left} rounds.`],
    [walk.armsAdded, ` Added arms: ${walk.armsAdded}.`],
  ]).join("");
}

function describeRound(walk, one) {
  const { now, status, reasons } = one;
  const real = walk.turns ? now.arms.slice(0, 1) : now.arms;
  const arms = real.map((arm) => quote(walk.charter.arms[arm])).join(", ");
  const event = now.trial ? null : now.freeze.event;
  const tail = now.trial ? "" : ` ${quote(event)}`;
  const bound = `had in time by ${one.e}, signed since by ${one.l} of the ${one.n} keys you trust (of ${one.members} members then); ` +
    `proved unless ${one.beta} or more were false`;
  const because = [...(now.drawn === null ? [] : [arms]), ...(status === "proved" ? [bound] : reasons)].join("; ");
  const said = { trial: `${arms}, a first trial without a draw.`, waiting: `not drawn yet.${tail}` }[status] ?? `${because}.${tail}`;
  return {
    round: now.round, status, event, balls: now.balls, arms: now.arms, voices: now.voices, early: one.e, since: one.l,
    of: one.n, members: one.members, needed: one.k, needed_since: one.l0, beta: one.beta, reasons,
    sentence: `Round ${now.round}: ${said}`,
  }; // prettier-ignore
}

/** γ, in units of 2^-128, with two significant digits, rounded up: "5.1e-12"; "0" for none. */
export function formatRoundedUp(gamma) {
  if (gamma === 0n) return "0";
  let power = 0;
  let [above, below] = [gamma, ONE];
  for (; above < below; power -= 1) above *= 10n;
  for (; above >= below * 10n; power += 1) below *= 10n;
  let digits = (above * 10n + below - 1n) / below;
  if (digits === 100n) [digits, power] = [10n, power + 1];
  return `${digits / 10n}.${digits % 10n}e${power}`;
}

/** 1 + γ with four decimals, rounded up. */
function formatFactor(gamma) {
  const whole = ((ONE + gamma) * 10000n + ONE - 1n) / ONE;
  return `${whole / 10000n}.${String(whole % 10000n).padStart(4, "0")}`;
}

function listProvedClaims(walk, { heads, people, hers }, proved) {
  const fair = walk.rounds.some((now) => !now.trial);
  const small = walk.gamma * 1000n <= ONE;
  const who = walk.learns ? "among those who are resolved, no arm" : "No arm";
  const signers = proved.length ? minimum(proved.map((one) => one.l)) : 0;
  return selectTexts([
    [true, `The ${walk.lines.length} lines form one unbroken chain.`],
    ...heads.map((line) => [true, `The kept head is line ${line}: nothing up to there was rewritten.`]),
    [people, "The names fit: every row of a person named there is theirs alone."],
    ...listReceiptFindings(walk, hers),
    [fair, "In every round each member has exactly their weight times the round's units, all inside their own set."],
    [fair && small && walk.everResolved,
      `${capital(who)} can be given so that someone gains more than a factor 1 + γ at nobody's cost: γ = ${formatRoundedUp(walk.gamma)}.`],
    [fair && walk.learns, "Every member in doubt spent their own voice by the rule, from their own leader."],
    [walk.rounds.some((now) => now.drawn !== null), "Every ball and arm follows from its freeze and its source."],
    [walk.turns, "What each member is owed was carried from round to round by the rules of turns."],
    [proved.length, `Signed by ${signers} of the keys you trust.`],
  ]); // prettier-ignore
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function listReceiptFindings(walk, hers) {
  if (!hers) return [];
  const follow = walk.learns ? "and their set and leader follow from them in every round" : "and their set follows from them in every round";
  const under = hers.whole ? `Their ratings are under the roots (${hers.ratings}), ${follow}.`
    : `Their ratings are under the roots (${hers.ratings}); those from before their link was issued again are not in it.`;
  return [
    [true, `Member ${hers.member} is ${quote(hers.name)}, with one row in each of their rounds: ${hers.rows}.`],
    [true, under],
    [true, `${hers.unsigned} of their ${hers.ratings} ratings are not signed.`],
    [hers.owed, hers.owed],
  ];
}

function listUnprovedClaims(walk, { heads, trust }, judge, signedLast) {
  const fair = walk.rounds.some((now) => !now.trial);
  const more = signedLast
    ? `Whether more came after line ${signedLast.line}, the last that ${signedLast.k} of your keys signed, at ${iso(signedLast.at)}.`
    : "Whether more came: too few of your keys signed.";
  return selectTexts([
    [fair, "Which policy was taken where several have the largest product: the tie-break is the writer's."],
    [fair, "That rows whose devices did not sign follow from what was told."],
    [walk.turns?.mode === "drawn", "That ballots and overrides did not depend on earlier draws: the odds are exact if they did not."],
    [walk.turns?.used_up, "Odds before the draw: options are used up, so they depend on what was drawn."],
    [walk.gamma * 1000n > ONE, `That nobody could gain more than a factor ${formatFactor(walk.gamma)} at nobody's cost.`],
    ...heads.map((line) => [true, `That you kept the head of line ${line} before the draws that it judges: you alone know.`]),
    [!heads.length, "That this is the record others saw: compare its head, or its words, with one kept elsewhere."],
    [true, "That keys are their members' alone: whoever has a member's link can make a key for them, and keys made on the " +
      "group's pages are in the hands of whoever runs the server, should the pages be changed."],
    [true, "That no other record of these people was kept beside this one."],
    [trust.length, more],
    [true, "When this record was made: only keys you trust say so, a beacon only says not before."],
    [true, "That the roster names real people, each once, and that ratings are honest: nobody can prove that."],
  ]); // prettier-ignore
}

const iso = (seconds) => (seconds < 253402300800 ? new Date(seconds * 1000).toISOString().replace(".000Z", "Z") : String(seconds));

function collectNotes(walk, last) {
  const roster = walk.rosters.at(-1);
  const marked = [...roster].flatMap(([n, one]) => (one.organiser ? [n] : []));
  const weights = [...roster.values()].map((one) => one.weight);
  const [most, total] = [maximum(weights), weights.reduce((sum, one) => sum + one, 0)];
  const left = last?.status === "undrawn" && walk.ended === null && last.now.source.kind === "beacon";
  return selectTexts([
    [left, left ? describeUndrawn(last.now) : ""],
    [marked.length, `Members whose keys never count: ${joinItems(marked)}.`],
    [new Set(weights).size > 1, `Weights are not equal: the largest is ${most} of ${total} in all.`],
  ]);
}
