// What a check found, in the words of the page: the verifier speaks English to programs, and each of its sentences has an id.
import { about, say } from "./shared.js";

let known = null; // [id, pattern] of every sentence, fetched with the first check

export async function learn() {
  const table = await (await fetch("/static/words/findings.json")).json();
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  known ??= Object.entries(table).map(([id, text]) => [id, new RegExp(`^${text.split("{}").map(escaped).join("(.*)")}$`, "s")]);
}

/** A moment that the verifier wrote for programs, as the group's clock and calendar show it; all else as it is. */
const dated = (text) => (/^\d{4}-\d\d-\d\dT[\d:]+Z$/.test(text)
  ? new Date(text).toLocaleString(document.documentElement.lang, { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: about.zone })
  : text);

/** One finding in people's words; a sentence without an id, which no test lets pass, stays as it is. */
export function finding(sentence) {
  for (const [id, pattern] of known) {
    const found = pattern.exec(sentence);
    if (found) return say(`finding_${id}`, { ...found.slice(1).map(dated) });
  }
  return sentence;
}

/** The verdict in one sentence, for whoever holds this device: `found` is what the verifier told, with this device's key alone. */
export function verdict(found) {
  if (found.verdict === "false" || found.verdict === "unreadable") return say(`check_${found.verdict}`);
  const drawn = found.rounds.filter((one) => one.balls.length), proved = drawn.filter((one) => one.status === "proved").length;
  if (!drawn.length) return say("check_nothing_drawn");
  if (found.verdict === "proved") return say("check_proved", { proved, drawn: drawn.length });
  if (drawn.every((one) => one.reasons.some((why) => why.startsWith("a rehearsal")))) return say("check_rehearsal");
  return drawn.every((one) => one.status === "unjudged") ? say("check_unjudged") : say("check_consistent", { proved, drawn: drawn.length });
}
