// What a page may say of the last draw: proved for whoever holds this phone, for everyone, not yet, or too few; in words.
import { clock, say, unsigned } from "./shared.js";
import { verify } from "/verify/verify.js";

/** The sentence on the open page; `refused`: why this device has not signed it, if it has not. */
export function waiting(page, seen, refused) {
  if (page.kind === "group") return refused ? say("number_not", { why: refused }) : say("number_added");
  if (page.speaks !== null && Date.now() / 1000 >= page.speaks) return `${say("beacon_spoken")} ${say(refused ? "phone_had_not" : "phone_had")}`;
  const own = refused ? say("phone_has_not", { why: refused }) : say("phone_has");
  if (!seen.of) return page.kind === "rehearsal" ? say("proof_rehearsal") : refused ? unsigned(refused) : own;
  if (page.speaks === null) return `${say("seen_by", seen)} ${own}`;
  return `${say("seen_by_beacon", { ...seen, draw: clock(page.speaks), by: clock(page.speaks - 60) })} ${own}`;
}

/** When this device had the page of a round in time, in Unix seconds; null if it had not. Its own memory counts as the record. */
function inTime(round, own) {
  const over = own.says.filter((one) => one.freeze === round.name);
  if (round.kind === "group") return over.find((one) => one.what === "reveal")?.at ?? null;
  if (round.kind === "dice") return over.some((one) => one.what !== "dice") ? over.find((one) => one.what === "dice" && one.value === round.value)?.at ?? null : null;
  return over.find((one) => round.speaks === null || one.at <= round.speaks - 60)?.at ?? null;
}

/** {text, state: "mine" | "everyone" | "ripening" | "few" | "plain"} on the last round that was drawn; null if there is none. */
export async function drawn({ bytes, record, found }, own, seen) {
  const round = record.rounds.filter((one) => one.drawn).at(-1);
  if (!round) return null;
  const alone = found.rounds[round.round - 1], at = inTime(round, own);
  const only = alone.reasons.filter((one) => !one.startsWith("had by") && !one.startsWith("not judged") && !one.startsWith("signed since"));
  const left = only.find((one) => one.startsWith("drawn after"))?.match(/\d+/);
  if (left) return { text: say("after_undrawn", { count: Number(left), choices: Number(left) + 1 }), state: "plain" };
  if (only.length) return { text: say(only.some((one) => one.startsWith("a rehearsal")) ? "proof_rehearsal" : "proof_checked"), state: "plain" }; // a rehearsal, or an unknown beacon
  if (at !== null) return { text: say("proved_mine", { time: clock(at) }), state: "mine" };
  const head = own.says.filter((one) => one.size < round.number && one.size >= 2).at(-1)?.head;
  const all = head ? (await verify(bytes, { trust: ["members"], head: [head], known: own.checked })).rounds[round.round - 1] : null;
  if (all?.status === "proved") return { text: say("proved_all", { beta: all.beta, of: all.of }), state: "everyone" };
  const counts = all && all.of ? { early: all.early, since: all.since, of: all.of, wanted: all.needed, wanted_since: all.needed_since } : seen;
  if (!counts.early) return { text: say("too_few_none"), state: "few" };
  if (counts.early < counts.wanted) return { text: say("too_few_early", counts), state: "few" };
  return { text: say(counts.since >= counts.wanted_since ? "ripe" : "ripening", counts), state: "ripening" };
}
