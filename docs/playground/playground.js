// The playground's page: documents with cells to edit; a worker runs them, so that the page stays alive.
const $ = (id) => document.getElementById(id);
const worker = new Worker("worker.js"), runs = [];

worker.onmessage = ({ data: { status, loaded, run, output } }) => {
  if (status) $("status").textContent = status;
  if (loaded) $("loaded").value = loaded;
  $("loaded").hidden = $("loaded").value >= 1;
  if (run !== undefined) Object.assign(runs[run], { textContent: output || "(no output)" }).dataset.done = "";
};
worker.onerror = () => ($("status").textContent = "The playground runs from a web address, not from a file; or its files are missing.");

function makeCell(text, number) {
  const box = document.createElement("div"), area = document.createElement("textarea"), button = document.createElement("button"), output = document.createElement("pre");
  Object.assign(area, { value: text, rows: text.split("\n").length + 1, spellcheck: false });
  area.setAttribute("aria-label", `Cell ${number + 1}`);
  Object.assign(button, { type: "button", textContent: "Run" });
  button.setAttribute("aria-label", `Run cell ${number + 1}`);
  Object.assign(output, { tabIndex: 0, role: "status" });
  output.setAttribute("aria-label", `Output of cell ${number + 1}`);
  button.onclick = () => {
    delete output.dataset.done;
    output.textContent = $("loaded").value < 1 ? "Waiting until Python is loaded …" : "Running …";
    worker.postMessage({ run: runs.push(output) - 1, text: area.value });
  };
  area.onkeydown = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && (event.preventDefault(), button.click());
  box.className = "cell";
  box.append(area, button, output);
  return box;
}

fetch("cells.json").then((answer) => answer.json()).then((documents) => {
  const show = () => $("cells").replaceChildren(...documents[$("document").selectedIndex].cells.map(makeCell));
  $("document").replaceChildren(...documents.map(({ title }) => new Option(title)));
  $("document").onchange = show;
  show();
});
