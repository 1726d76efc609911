// Bytes, hexadecimal digits, hashes and exact sums: what the rest of the verifier is made of.

import { hmac, sha256 } from "./vendor/noble-ed25519.js";

export const TOP = Number.MAX_SAFE_INTEGER; // 2^53 - 1

/** Why a record is false (code 1) or unreadable (2), in one sentence. */
export class Fault extends Error {
  constructor(code, sentence) {
    super(sentence);
    this.code = code;
  }
}

export function need(ok, sentence, code = 1) {
  if (!ok) throw new Fault(code, sentence);
}

const encoder = new TextEncoder();
export const ascii = (text) => encoder.encode(text);
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const sha = (...parts) => sha256(joined(...parts));
export const mac = (secret, ...parts) => hmac(sha256, unhex(secret), joined(...parts));

function bigEndian(number, size) {
  const bytes = new Uint8Array(size);
  for (let i = size - 1, rest = BigInt(number); i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}

export const eight = (number) => bigEndian(number, 8);
export const four = (number) => bigEndian(number, 4);
export const numberOf = (bytes) => BigInt(`0x${hex(bytes)}`);

/** The least and the largest of some numbers; of any length, unlike Math.min(...numbers). */
export const least = (numbers) => numbers.reduce((a, b) => Math.min(a, b), Infinity);
export const largest = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);

/** The exact sum of whole numbers below 2^53. */
export function exactSum(numbers) {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum <= TOP ? BigInt(sum) : numbers.reduce((total, number) => total + BigInt(number), 0n);
}

/** Ten words for a hash, to be read aloud and compared. */
export function words(digits) {
  const [c, v] = ["bdfghjklmnprstvz", "aiou"];
  const word = (b) => c[b >> 12] + v[(b >> 10) & 3] + c[(b >> 6) & 15] + v[(b >> 4) & 3] + c[b & 15];
  return Array.from({ length: 10 }, (_, i) => word(parseInt(digits.slice(4 * i, 4 * i + 4), 16))).join("-");
}

/** A text of the record that cannot forge a line of the report: control and direction marks become U+FFFD. */
export const clean = (text) =>
  text.replace(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");

/** A text of the record between quotation marks that it cannot close itself. */
export const quoted = (text) => `«${clean(text).replace(/[«»]/g, "\ufffd")}»`;

/** '4, 5, 7'; after ten of them only that there are more. */
export const named = (numbers) => numbers.slice(0, 10).join(", ") + (numbers.length > 10 ? ", …" : "");
