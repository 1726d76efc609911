// The answer in sentences: the first line, the rounds, what is proved, what is not, and what to know.

import { maximum, minimum, joinItems, quote, encodeWords } from "./bytes.js";
import { findLastSignedLine, collectKeySets } from "./trust.js";
import { describeUndrawn } from "./record-checker.js";
import { PROVENANCES } from "./schema.js";

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
    notes: [...walk.notes, ...collectNotes(walk, rounds.at(-1), reader.own?.receipt), ...reader.against],
    debts: walk.turns ? walk.turns.list() : null,
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
    const draws = from === to ? "Its draw" : `Each of the ${proved.length} draws`;
    const follows = walk.charter.turns?.mode === "deterministic" ? "The rule of turns was followed; unless options tied, the result could be known beforehand."
      : `${draws} follows from a page that was fixed before its randomness could be known.`;
    return `${which}: proved for you, ${describeFalseKeys(walk, reader, proved)}. ${follows}`;
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

/** What the reader would know who trusted the members of the heads that they kept. */
function summariseMembersTrust(walk, reader, recomputes) {
  const open = `${recomputes}. Say whom you trust (--trust)`;
  if (!reader.heads.length) return `${open}.`;
  if (!reader.heads.some((line) => line >= 2)) return `${open}: with "members", no round is proved.`;
  const sets = collectKeySets(walk.lines, ["members"], reader.heads, reader.people);
  const other = { ...reader, sets, trust: ["members"], quorum: null };
  const proved = walk.rounds.map((now) => reader.judged(walk, now, other)).filter((one) => one.status === "proved");
  if (!proved.length) return `${open}: with "members", no round is proved.`;
  const { beta, one } = findWeakestRound(proved);
  const condition = `unless ${beta} or more of ${one.n} keys (of ${one.members} members then) were false, ${theirs(walk, other, one)}`;
  return `${open}: with "members", rounds ${numbers(proved)} are proved ${condition}.`;
}

/** That the reader takes each key for its member's own. */
const theirs = (walk, reader, one) => `provided these keys are theirs: ${nameKeys(walk, reader, one)}`;

/** "unless β or more of the n keys you trust … were false", of the last round with the least β. */
function describeFalseKeys(walk, reader, proved) {
  const { beta, one } = findWeakestRound(proved);
  if (one.n === 1) return `unless this key was false, provided it is theirs: ${nameKeys(walk, reader, one)}`;
  return `unless ${beta} or more of the ${one.n} keys you trust (of ${one.members} members then) were false, ${theirs(walk, reader, one)}`;
}

function findWeakestRound(proved) {
  const beta = minimum(proved.map((one) => one.beta));
  return { beta, one: proved.findLast((each) => each.beta === beta) };
}

/** How a key came to the keeper of the record, when, and how many others compared it. */
function describeOrigin(walk, n, { key, provenance: { how, at } }) {
  const others = walk.compared.get(n.toString(16).padStart(8, "0") + key)?.size ?? 0;
  const compared = others ? `compared by ${others} member${others > 1 ? "s" : ""}` : "not compared";
  const moment = at < YEAR_10000 ? `${iso(at).slice(0, 16).replace("T", " ")} UTC` : String(at);
  return ` (${PROVENANCES[how]}, ${moment}, ${compared})`;
}

/** The keys of a round's T, each with its origin: as names, else numbers, else their first digits. */
export function nameKeys(walk, { sets, people }, one) {
  const judge = sets.findLast((each) => each.from <= one.now.number && each.keys.length);
  const roster = walk.rosters[judge.line === null ? one.now.version : walk.rosterAt[judge.line - 1]];
  const owners = new Map([...roster].flatMap(([n, entry]) => (entry.key ? [[entry.key, n]] : [])));
  const there = new Map([...one.now.roster].map(([n, entry]) => [entry.key, () => describeOrigin(walk, n, entry)]));
  const called = judge.keys.map((key) => {
    const n = owners.get(key);
    const origin = there.get(key)?.() ?? "";
    return { n: n ?? Infinity, origin, text: n === undefined ? key.slice(0, 8) : people?.members[n] ? quote(people.members[n].name) : String(n) };
  });
  return joinItems(called.sort((a, b) => a.n - b.n).map(({ text, origin }) => text + origin));
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
    [walk.away, ` Members away: ${walk.away} rows.`],
    [walk.armsAdded, ` Added arms: ${walk.armsAdded}.`],
  ]).join("");
}

function describeRound(walk, one) {
  const { now, status, reasons } = one;
  const real = walk.turns ? now.arms.slice(0, 1) : now.arms;
  const arms = real.map((arm) => quote(walk.charter.arms[arm])).join(", ");
  const title = now.trial ? null : now.freeze.title;
  const tail = now.trial ? "" : ` ${quote(title)}`;
  const bound = `had in time by ${one.e}, signed since by ${one.l} of the ${one.n} keys you trust (of ${one.members} members then); ` +
    `proved unless ${one.beta} or more were false`;
  const because = [...(now.drawn === null ? [] : [arms]), ...(status === "proved" ? [bound] : reasons)].join("; ");
  const said = { trial: `${arms}, a first trial without a draw.`, waiting: `not drawn yet.${tail}` }[status] ?? `${because}.${tail}`;
  return {
    round: now.round, status, title, balls: now.balls, arms: now.arms, voices: now.voices, early: one.e, since: one.l,
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

function listProvedClaims(walk, { heads, people, own }, proved) {
  const fair = walk.rounds.some((now) => !now.trial);
  const small = walk.gamma * 1000n <= ONE;
  const who = walk.learns ? "among those who are resolved, no arm" : "No arm";
  const signers = proved.length ? minimum(proved.map((one) => one.l)) : 0;
  return selectTexts([
    [true, `The ${walk.lines.length} lines form one unbroken chain.`],
    ...heads.map((line) => [true, `The kept head is line ${line}: nothing up to there was rewritten.`]),
    [people, "The names fit: every row of a person named there is theirs alone."],
    ...listReceiptFindings(walk, own),
    [fair, "In every round each member who took part has exactly their weight times the round's units, all inside their own set."],
    [fair && small && walk.everResolved,
      `${capital(who)} can be given so that someone gains more than a factor 1 + γ at nobody's cost: γ = ${formatRoundedUp(walk.gamma)}.`],
    [fair && walk.learns, "Every member in doubt spent their own voice by the rule, from their own leader."],
    [walk.rounds.some((now) => now.drawn !== null), "Every ball and arm follows from its freeze and its source."],
    [walk.turns, "What each member is owed was carried from round to round by the rules of turns."],
    [proved.length, `Signed by ${signers} of the keys you trust.`],
  ]); // prettier-ignore
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function listReceiptFindings(walk, own) {
  if (!own) return [];
  const { receipt: { member, name, state, round }, rows, rested } = own;
  if (state === "pending" && !rows && !rested.length) {
    return [[true, `Member ${member} is ${quote(name)}: nothing of theirs is in a round yet; they take part from round ${round}.`]];
  }
  const follow = `and their ${walk.learns ? "set and leader follow" : "set follows"} from them in every round up to line ${own.made}, where the receipt ends`;
  return [
    [true, `Member ${member} is ${quote(name)}, with one row in each of their rounds: ${rows}.`],
    [rested.length, `Their share rested in rounds ${joinItems(rested)}.`],
    [true, `Their ratings are under the roots (${own.ratings}), ${follow}.`],
    [true, `${own.unsigned} of their ${own.ratings} ratings are not signed.`],
    [own.owed, own.owed],
  ];
}

function listUnprovedClaims(walk, { heads, trust }, judge, signedLast) {
  const fair = walk.rounds.some((now) => !now.trial);
  const drawn = walk.turns?.mode === "lottery";
  const moved = walk.turns?.single_use || walk.rested || walk.rounds.some((now) => now.put.size > 0);
  const more = signedLast
    ? `Whether more came after line ${signedLast.line}, the last that ${signedLast.k} of your keys signed, at ${iso(signedLast.at)}.`
    : "Whether more came: too few of your keys signed.";
  return selectTexts([
    [fair, "Which policy was taken where several have the largest product: the tie-break is the writer's."],
    [fair, "That rows whose devices did not sign follow from what was told."],
    [drawn && !moved, "That ballots and overrides did not depend on earlier draws: the odds are exact if they did not."],
    [drawn && moved, "Odds before the draw: options are used up, rest or were overridden, so they depend on what was drawn."],
    [walk.gamma * 1000n > ONE, `That nobody could gain more than a factor ${formatFactor(walk.gamma)} at nobody's cost.`],
    ...heads.map((line) => [true, `That you kept the head of line ${line} before the draws that it judges: you alone know.`]),
    [!heads.length, "That this is the record others saw: compare its head, or its words, with one kept elsewhere."],
    [true, "That keys are their members' alone: whoever opens a link or a letter first, or takes a name, can make a key for it, " +
      "and keys made on the group's pages are in the hands of whoever runs the server, should the pages be changed."],
    [true, "That no other record of these people was kept beside this one."],
    [trust.length, more],
    [true, "When this record was made: only keys you trust say so, a beacon only says not before."],
    [true, "That the roster names real people, each once, and that ratings are honest: nobody can prove that."],
  ]); // prettier-ignore
}

const YEAR_10000 = 253402300800;
const iso = (seconds) => (seconds < YEAR_10000 ? new Date(seconds * 1000).toISOString().replace(".000Z", "Z") : String(seconds));

function collectNotes(walk, last, receipt) {
  const roster = walk.rosters.at(-1);
  const marked = [...roster].flatMap(([n, one]) => (one.organiser ? [n] : []));
  const byHand = [...roster].flatMap(([n, one]) => (one.by_hand ? [n] : []));
  const keys = [...roster].flatMap(([n, one]) => (one.key ? [`${n}${describeOrigin(walk, n, one)}`] : []));
  const state = receipt?.until != null ? `away until ${iso(receipt.until)}` : receipt?.state.replaceAll("_", " ");
  const weights = [...roster.values()].map((one) => one.weight);
  const [most, total] = [maximum(weights), weights.reduce((sum, one) => sum + one, 0)];
  const left = last?.status === "undrawn" && walk.ended === null && last.now.source.kind === "beacon";
  return selectTexts([
    [left, left ? describeUndrawn(last.now) : ""],
    [marked.length, `Members whose keys never count: ${joinItems(marked)}.`],
    [byHand.length, `Members by hand, whose answers the organiser enters: ${joinItems(byHand)}.`],
    [keys.length, `Keys on the latest roster: ${keys.join(", ")}.`],
    [new Set(weights).size > 1, `Weights are not equal: the largest is ${most} of ${total} in all.`],
    [receipt && !["active", "pending"].includes(receipt.state), `The receipt says of member ${receipt?.member}: ${state}.`],
  ]);
}
