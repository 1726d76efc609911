// Bytes, hexadecimal digits, hashes and exact sums: what the rest of the verifier is made of.

import { hmac, sha256 } from "./vendor/noble-ed25519.js";

export const MAX_SAFE_INTEGER = Number.MAX_SAFE_INTEGER; // 2^53 - 1

/** Why a record is false (code 1) or unreadable (2), in one sentence. */
export class VerificationError extends Error {
  constructor(code, sentence) {
    super(sentence);
    this.code = code;
  }
}

export function require(ok, sentence, code = 1) {
  if (!ok) throw new VerificationError(code, sentence);
}

const encoder = new TextEncoder();
export const encodeText = (text) => encoder.encode(text);
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const fromHex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export function concatBytes(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const sha256Of = (...parts) => sha256(concatBytes(...parts));
export const hmacSha256 = (secret, ...parts) => hmac(sha256, fromHex(secret), concatBytes(...parts));

function bigEndian(number, size) {
  const bytes = new Uint8Array(size);
  for (let i = size - 1, rest = BigInt(number); i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}

export const encodeUint64 = (number) => bigEndian(number, 8);
export const encodeUint32 = (number) => bigEndian(number, 4);
export const numberOf = (bytes) => BigInt(`0x${toHex(bytes)}`);

/** The least and the largest of some numbers; of any length, unlike Math.min(...numbers). */
export const minimum = (numbers) => numbers.reduce((a, b) => Math.min(a, b), Infinity);
export const maximum = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);

/** The exact sum of whole numbers below 2^53. */
export function exactSum(numbers) {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum <= MAX_SAFE_INTEGER ? BigInt(sum) : numbers.reduce((total, number) => total + BigInt(number), 0n);
}

/** Ten words for a hash, to be read aloud and compared. */
export function encodeWords(digits) {
  const [c, v] = ["bdfghjklmnprstvz", "aiou"];
  const word = (b) => c[b >> 12] + v[(b >> 10) & 3] + c[(b >> 6) & 15] + v[(b >> 4) & 3] + c[b & 15];
  return Array.from({ length: 10 }, (_, i) => word(parseInt(digits.slice(4 * i, 4 * i + 4), 16))).join("-");
}

/** A text of the record that cannot forge a line of the report: control and direction marks become U+FFFD. */
export const sanitise = (text) =>
  text.replace(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");

/** A text of the record between quotation marks that it cannot close itself. */
export const quote = (text) => `«${sanitise(text).replace(/[«»]/g, "\ufffd")}»`;

/** '4, 5, 7'; after ten of them only that there are more. */
export const joinItems = (numbers) => numbers.slice(0, 10).join(", ") + (numbers.length > 10 ? ", …" : "");
