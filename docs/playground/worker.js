// Python in a worker: it loads the runtime and the packages beside this file, tells how far it is, and runs cells in turn.
importScripts("pyodide.js");

/** The bytes of a file, with a message for each part that arrives. */
async function fetchBytes(name, sizes) {
  const response = await fetch(name), reader = response.body.getReader(), parts = [];
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
    postMessage({ loaded: 0.5 + (0.4 * size) / sizes[name] });
  }
  return new Blob(parts).arrayBuffer();
}

async function start() {
  const sizes = await (await fetch("sizes.json")).json();
  postMessage({ status: "Loading Python …", loaded: 0.1 });
  const python = await loadPyodide({ indexURL: new URL("./", location.href).href });
  postMessage({ status: "Loading NumPy and Isegoria …", loaded: 0.5 });
  python.unpackArchive(await fetchBytes("packages.zip", sizes), "zip", { extractDir: "/home/pyodide" });
  postMessage({ status: "Starting Isegoria …", loaded: 0.95 });
  python.FS.writeFile("/home/pyodide/runner.py", await (await fetch("runner.py")).text());
  python.runPython("import sys; sys.path.insert(0, '/home/pyodide'); import isegoria.cli, runner");
  postMessage({ status: "Ready.", loaded: 1 });
  return python.runPython("runner.run_cell");
}

const runner = start();
runner.catch((error) => postMessage({ status: `Python could not be loaded: ${error.message}` }));
onmessage = async ({ data: { run, text } }) => postMessage({ run, output: (await runner)(text) });
