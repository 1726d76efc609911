// The one step that needs a script: the secret of a private link stands behind the #, which no server sees, and is
// changed here for a cookie that no script reads.
const group = document.body.dataset.group;
const secret = new URLSearchParams(location.hash.slice(1)).get("k");
addEventListener("hashchange", () => { if (location.hash.startsWith("#k=")) location.reload(); }); // pasted where the page is open
if (group && secret) {
  history.replaceState(null, "", location.pathname);
  const answer = await fetch(`/api/groups/${group}/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": String(Math.random()) },
    body: JSON.stringify({ token: secret }),
  });
  if (answer.ok) location.replace(location.pathname + ((await answer.json()).role === "member" ? "" : "/organise"));
  else {
    const note = document.createElement("p");
    note.setAttribute("role", "alert");
    note.className = "refused";
    note.textContent = (await answer.json()).error;
    document.querySelector("main").prepend(note);
  }
}
