// All words of the page come from a table of messages, one for each language.
import { keep, read } from "./address.js";

export const LANGUAGES = JSON.parse(document.documentElement.dataset.languages ?? "{}");
let messages = {};

export async function speak(language) {
  const wanted = language ?? read("lang") ?? navigator.language.slice(0, 2);
  const chosen = wanted in LANGUAGES ? wanted : "en";
  use(await (await fetch(`/words/${chosen}`)).json());
  document.documentElement.lang = chosen;
  if (language) keep("lang", language);
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", say(node.dataset.label));
  document.title = say("title");
  return chosen;
}

// Take a table of messages: the pages of a group bring their own.
export const use = (table) => { messages = table; };

// The message of that name with {key} filled in from the values, and {key|one|more} chosen by it; a name that no table has shows itself.
export const say = (name, values = {}) => (messages[name] ?? name)
  .replace(/\{(\w+)\|([^|{}]*)\|((?:[^{}]|\{\w+\})*)\}/g, (all, key, one, more) => (values[key] === 1 ? one : more))
  .replace(/\{(\w+)\}/g, (all, key) => (key in values ? values[key] : all));

// The message of a row of a table; a row that another package added, or that is new, goes by its id.
export const sayRow = (kind, id) => messages[`${kind}_${id}`] ?? id;
