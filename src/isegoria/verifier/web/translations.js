// The page in the reader's language. English stands in the page and in the verifier's own sentences; whoever serves or saved
// the page may bring others, in `words.json` or inside the page itself. What is checked never depends on them.

const COOKIE = "isegoria-language"; // as the group's pages remember it
const ANY = "(.*)", NUMBERS = "([\\d, …]*)";

let words = null; // the table of the reader's language; null: English
let patterns = []; // [id, what the verifier's sentence of that id looks like]

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const fill = (text, values) => text.replace(/\{(\d+)\}/g, (all, place) => values[place] ?? all);

/** A word of the page, with its values in place of {0}, {1}, …; its English where the language has none. */
export const translate = (name, english, ...values) => fill(words?.[name] ?? english, values);

/** Whether the page speaks another language than the verifier. */
export const translated = () => words !== null;

/** A sentence of the verifier in the reader's language, and what stands inside it too; without a translation as it is. */
export function translateSentence(sentence) {
  for (const [id, pattern] of words ? patterns : []) {
    const found = words.sentences?.[id] && pattern.exec(sentence);
    if (found) return fill(words.sentences[id], found.slice(1).map(translateSentence));
  }
  return sentence;
}

async function loadTranslations() {
  const inside = document.getElementById("brought");
  if (inside) return JSON.parse(inside.textContent);
  if (!location.protocol.startsWith("http")) return {};
  return fetch("words.json").then((answer) => answer.json()).catch(() => ({}));
}

/** The first language that the reader asked for and that is here: by the address, by a group's pages, by her browser. */
function chooseLanguage(languages) {
  const chosen = new URLSearchParams(location.search).get("lang");
  const [, kept] = new RegExp(`(?:^|; )${COOKIE}=(\\w+)`).exec(document.cookie) ?? [];
  const asked = [chosen, kept, ...navigator.languages.map((one) => one.slice(0, 2))];
  const found = asked.find((one) => one === "en" || (one && one in languages)) ?? "en";
  if (found === chosen) document.cookie = `${COOKIE}=${found}; path=/; max-age=31536000; samesite=lax`;
  return found;
}

function link([code, name], language) {
  if (code === language) return Object.assign(document.createElement("span"), { lang: code, textContent: name });
  const search = new URLSearchParams(location.search);
  search.set("lang", code);
  return Object.assign(document.createElement("a"), { lang: code, hreflang: code, textContent: name, href: `?${search}` });
}

/** Learn the languages that were brought, and say all that stands on the page in the one that is wanted. */
export async function translatePage() {
  const { languages = {}, sentences = {} } = await loadTranslations();
  const language = chooseLanguage(languages);
  words = language === "en" ? null : languages[language];
  patterns = Object.entries(sentences).map(([id, text]) => {
    const parts = text.split(/(\{n?\})/).map((part) => ({ "{}": ANY, "{n}": NUMBERS })[part] ?? escaped(part));
    return [id, new RegExp(`^${parts.join("")}$`, "s")];
  });
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = translate(node.dataset.say, node.textContent);
  for (const node of document.querySelectorAll("[data-label]")) node.ariaLabel = translate(node.dataset.label, node.ariaLabel);
  document.title = translate("title", document.title);
  document.documentElement.lang = language;
  const named = [["en", "English"], ...Object.entries(languages).map(([code, { language: name }]) => [code, name])];
  if (named.length > 1) document.getElementById("languages").append(...named.flatMap((one, i) => (i ? [" · ", link(one, language)] : [link(one, language)])));
  delete document.documentElement.dataset.silent;
}
