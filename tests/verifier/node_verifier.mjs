// Verdicts by the JavaScript verifier, for the tests: one JSON case in each line of standard input, one verdict out.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { verify } = await import(pathToFileURL(`${process.argv[2]}/verify.js`));
const bytes = (text) => (text === null || text === undefined ? null : Uint8Array.from(Buffer.from(text, "base64")));
for await (const line of createInterface({ input: process.stdin })) {
  const { record, receipt, names, trust, head, quorum, against = [], beacon = null, now } = JSON.parse(line);
  const beside = against.map(([name, data]) => ({ name, data: bytes(data) }));
  const given = { receipt: bytes(receipt), names: bytes(names), trust, head, quorum, against: beside, beacon: bytes(beacon), now };
  let answer;
  try {
    answer = await verify(bytes(record), given);
  } catch (error) {
    answer = { crash: String(error.stack) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
