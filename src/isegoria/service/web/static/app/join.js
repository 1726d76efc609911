// The join link: its secret stands behind the #, which no server sees, and is sent for the names; a tap takes one.
const place = document.getElementById("join"), list = document.getElementById("names"), said = document.getElementById("said");
const group = place.dataset.group, kept = `isegoria join ${group}`;
const words = await (await fetch(`/static/words/pages.${document.documentElement.lang}.json`)).json();

// A reload finds the secret where this tab left it, since the address shows it no more.
function secret() {
  const given = new URLSearchParams(location.hash.slice(1)).get("k");
  if (given) history.replaceState(null, "", location.pathname);
  try {
    if (given) sessionStorage.setItem(kept, given);
    return given ?? sessionStorage.getItem(kept);
  } catch { return given; }
}

const token = secret();

async function ask(path, body) {
  const answer = await fetch(`/api/groups/${group}/${path}`, {
    method: "POST", headers: { "content-type": "application/json", "idempotency-key": String(Math.random()) }, body: JSON.stringify({ token, ...body }),
  });
  const told = await answer.json();
  if (!answer.ok) said.textContent = told.error;
  if (!answer.ok) nothing();
  return answer.ok ? told : null;
}

// No names will come: their places go.
function nothing() {
  for (const place of list.querySelectorAll(".place")) place.remove();
  list.removeAttribute("aria-busy");
}

async function take(number) {
  if (await ask("join/take", { member: number })) location.replace(`/g/${group}`);
  else show(await ask("join", {}), said.textContent);
}

function show(told, note = "") {
  if (!told) return;
  if (told.yours !== null) { location.replace(`/g/${group}`); return; }
  said.textContent = note;
  list.removeAttribute("aria-busy");
  list.replaceChildren(...told.people.map(({ number, name, taken }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = taken ? `${name} (${words.name_taken})` : name;
    button.disabled = taken;
    button.onclick = () => take(number);
    return button;
  }));
}

if (token) show(await ask("join", {}));
else { said.textContent = words.join_no_secret; nothing(); }
