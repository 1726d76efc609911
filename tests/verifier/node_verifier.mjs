// Verdicts by the JavaScript verifier, for the tests: one JSON case in each line of standard input, one verdict out.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { verify } = await import(pathToFileURL(`${process.argv[2]}/verify.js`));
const bytes = (text) => (text === null || text === undefined ? null : Uint8Array.from(Buffer.from(text, "base64")));
for await (const line of createInterface({ input: process.stdin })) {
  const { record, receipt, names, head = null, beacon_key: beaconKey = null } = JSON.parse(line);
  let answer;
  try {
    answer = await verify(bytes(record), { receipt: bytes(receipt), names: bytes(names), head, beaconKey });
  } catch (error) {
    answer = { crash: String(error.stack) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
