// What a page may translate of the last draw: proved for whoever holds this phone, for everyone, not yet, or too few; in words.
import { formatClock, translate, explainNoSignature } from "./group_page.js";
import { verify } from "/verify/verify.js";

/** The sentence on the open page; `refused`: why this device has not signed it, if it has not. */
export function describeOpenRound(page, seen, refused) {
  if (page.kind === "commit_reveal") return refused ? translate("number_not", { why: refused }) : translate("number_added");
  if (page.beaconTime !== null && Date.now() / 1000 >= page.beaconTime) return `${translate("beacon_spoken")} ${translate(refused ? "phone_had_not" : "phone_had")}`;
  const own = refused ? translate("phone_has_not", { why: refused }) : translate("phone_has");
  if (!seen.of) return page.kind === "rehearsal" ? translate("proof_rehearsal") : refused ? explainNoSignature(refused) : own;
  if (page.beaconTime === null) return `${translate("seen_by", seen)} ${own}`;
  return `${translate("seen_by_beacon", { ...seen, draw: formatClock(page.beaconTime), by: formatClock(page.beaconTime - 60) })} ${own}`;
}

/** When this device had the page of a round in time, in Unix seconds; null if it had not. Its own memory counts as the record. */
function findSigningTime(round, own) {
  const over = own.statements.filter((one) => one.freeze === round.name);
  if (round.kind === "commit_reveal") return over.find((one) => one.kind === "reveal")?.at ?? null;
  if (round.kind === "dice") return over.some((one) => one.kind !== "dice") ? over.find((one) => one.kind === "dice" && one.value === round.value)?.at ?? null : null;
  return over.find((one) => round.beaconTime === null || one.at <= round.beaconTime - 60)?.at ?? null;
}

/** {text, state: "mine" | "everyone" | "ripening" | "few" | "plain"} on the last round that was drawn; null if there is none. */
export async function describeLastDraw({ bytes, record, found }, own, seen) {
  const round = record.rounds.filter((one) => one.drawn).at(-1);
  if (!round) return null;
  const alone = found.rounds[round.round - 1], at = findSigningTime(round, own);
  const only = alone.reasons.filter((one) => !one.startsWith("had by") && !one.startsWith("not judged") && !one.startsWith("signed since"));
  const left = only.find((one) => one.startsWith("drawn after"))?.match(/\d+/);
  if (left) return { text: translate("after_undrawn", { count: Number(left), choices: Number(left) + 1 }), state: "plain" };
  if (only.length) return { text: translate(only.some((one) => one.startsWith("a rehearsal")) ? "proof_rehearsal" : "proof_checked"), state: "plain" }; // a rehearsal, or an unknown beacon
  if (at !== null) return { text: translate("proved_mine", { time: formatClock(at) }), state: "mine" };
  const head = own.statements.filter((one) => one.size < round.number && one.size >= 2).at(-1)?.head;
  const all = head ? (await verify(bytes, { trust: ["members"], head: [head], known: own.checked })).rounds[round.round - 1] : null;
  if (all?.status === "proved") return { text: translate("proved_all", { beta: all.beta, of: all.of }), state: "everyone" };
  const counts = all && all.of ? { early: all.early, since: all.since, of: all.of, wanted: all.needed, wanted_since: all.needed_since } : seen;
  if (!counts.early) return { text: translate("too_few_none"), state: "few" };
  if (counts.early < counts.wanted) return { text: translate("too_few_early", counts), state: "few" };
  return { text: translate(counts.since >= counts.wanted_since ? "ripe" : "ripening", counts), state: "ripening" };
}
