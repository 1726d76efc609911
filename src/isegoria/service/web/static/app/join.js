// The join link: its secret stands behind the #, which no server sees, and is sent for the names; a tap takes one.
import { addFilter } from "./filter.js";

const place = document.getElementById("join"), list = document.getElementById("names"), said = document.getElementById("said");
const group = place.dataset.group, storageKey = `isegoria join ${group}`;
const words = await (await fetch(`/static/translations/pages.${document.documentElement.lang}.json`)).json();

// A reload finds the secret where this tab left it, since the address shows it no more.
function takeSecret() {
  const given = new URLSearchParams(location.hash.slice(1)).get("k");
  if (given) history.replaceState(null, "", location.pathname);
  try {
    if (given) sessionStorage.setItem(storageKey, given);
    return given ?? sessionStorage.getItem(storageKey);
  } catch { return given; }
}

const token = takeSecret();

async function postJson(path, body) {
  const answer = await fetch(`/api/groups/${group}/${path}`, {
    method: "POST", headers: { "content-type": "application/json", "idempotency-key": String(Math.random()) }, body: JSON.stringify({ token, ...body }),
  });
  const told = await answer.json();
  if (!answer.ok) said.textContent = told.error;
  if (!answer.ok) removePlaceholders();
  return answer.ok ? told : null;
}

// No names will come: their places go.
function removePlaceholders() {
  for (const place of list.querySelectorAll(".place")) place.remove();
  list.removeAttribute("aria-busy");
}

async function claimName(number) {
  if (await postJson("join/take", { member: number })) location.replace(`/g/${group}`);
  else showNames(await postJson("join", {}), said.textContent);
}

function showNames(told, note = "") {
  if (!told) return;
  if (told.yours !== null) { location.replace(`/g/${group}`); return; }
  said.textContent = note;
  list.removeAttribute("aria-busy");
  const moment = (since) => new Date(1000 * since).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  const takenSince = (since) => words.name_taken_since.replace("{at}", moment(since));
  const byName = (a, b) => a.taken - b.taken || a.name.localeCompare(b.name, document.documentElement.lang);
  list.replaceChildren(...told.people.sort(byName).map(({ number, name, taken, since }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = taken ? `${name} (${takenSince(since)})` : name;
    button.className = taken ? "taken" : "";
    button.onclick = () => (taken ? askOwner(number, name, moment(since)) : claimName(number));
    return button;
  }));
  addFilter(list, list.children, words.filter_names);
}

// A taken name: its owner says whether they took it themself; if not, the whole group sees the objection.
function askOwner(number, name, at) {
  const question = document.createElement("span"), row = document.createElement("span");
  question.textContent = words.name_was_that_you.replace("{name}", name).replace("{at}", at);
  const answers = [[words.name_was_me, () => { said.textContent = ""; }], [words.name_was_not_me, async () => {
    if (await postJson("join/object", { member: number })) said.textContent = words.name_objected;
  }]];
  for (const [label, act] of answers) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.onclick = act;
    row.append(" ", button);
  }
  said.replaceChildren(question, row);
}

if (token) showNames(await postJson("join", {}));
else { said.textContent = words.join_no_secret; removePlaceholders(); }
