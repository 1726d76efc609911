// What a check found, in the words of the page: the verifier speaks English to programs, and each of its sentences has an id.
import { pageData, translate } from "./group_page.js";

let known = null; // [id, pattern] of every sentence, fetched with the first check

export async function loadPatterns() {
  const table = await (await fetch("/static/translations/findings.json")).json();
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  known ??= Object.entries(table).map(([id, text]) => [id, new RegExp(`^${text.split("{}").map(escaped).join("(.*)")}$`, "s")]);
}

/** A moment that the verifier wrote for programs, as the group's clock and calendar show it; all else as it is. */
const formatDate = (text) => (/^\d{4}-\d\d-\d\dT[\d:]+Z$/.test(text)
  ? new Date(text).toLocaleString(document.documentElement.lang, { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: pageData.zone })
  : text);

/** One finding in people's words; a sentence without an id, which no test lets pass, stays as it is. */
export function translateFinding(sentence) {
  for (const [id, pattern] of known) {
    const found = pattern.exec(sentence);
    if (found) return translate(`finding_${id}`, { ...found.slice(1).map(formatDate) });
  }
  return sentence;
}

/** The verdict in one sentence, for whoever holds this device: `found` is what the verifier told, with this device's key alone. */
export function translateVerdict(found) {
  if (found.verdict === "false" || found.verdict === "unreadable") return translate(`check_${found.verdict}`);
  const drawn = found.rounds.filter((one) => one.balls.length), proved = drawn.filter((one) => one.status === "proved").length;
  if (!drawn.length) return translate("check_nothing_drawn");
  if (found.verdict === "proved") return translate("check_proved", { proved, drawn: drawn.length });
  if (drawn.every((one) => one.reasons.some((why) => why.startsWith("a rehearsal")))) return translate("check_rehearsal");
  return drawn.every((one) => one.status === "unjudged") ? translate("check_unjudged") : translate("check_consistent", { proved, drawn: drawn.length });
}
