// Questions to the server on this computer. A refusal is thrown with the server's own sentence.
export class Refused extends Error {
  constructor(message, proposed = []) {
    super(message);
    this.proposed = proposed;
  }
}

async function told(answer) {
  const body = await answer.json().catch(() => ({ error: `the server answered ${answer.status}.` }));
  if (!answer.ok || body.error) throw new Refused(body.error, body.proposed);
  return body;
}

async function sent(address, options) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("the explorer does not answer; is it still running?");
  }
  return told(answer);
}

export const get = (address, signal) => sent(address, { signal });
export const post = (address, body, signal) =>
  sent(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });
export const drop = (file, options) =>
  sent(`/api/tables?${new URLSearchParams({ name: file.name, ...options })}`, { method: "POST", body: file });
