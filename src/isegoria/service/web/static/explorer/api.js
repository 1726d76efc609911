// Questions to the server on this computer. A refusal is thrown with the server's own sentence.
export class RequestError extends Error {
  constructor(message, proposed = []) {
    super(message);
    this.proposed = proposed;
  }
}

async function parseResponse(answer) {
  const body = await answer.json().catch(() => ({ error: `the server answered ${answer.status}.` }));
  if (!answer.ok || body.error) throw new RequestError(body.error, body.proposed);
  return body;
}

async function sendRequest(address, options) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RequestError("the explorer does not answer; is it still running?");
  }
  return parseResponse(answer);
}

export const get = (address, signal) => sendRequest(address, { signal });
export const post = (address, body, signal) =>
  sendRequest(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });
export const uploadFile = (file, options) =>
  sendRequest(`/api/tables?${new URLSearchParams({ name: file.name, ...options })}`, { method: "POST", body: file });
