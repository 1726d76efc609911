// Reading: canonical JSON, with exactly the keys and values of each kind of line. `?` allows null, `*` is a list.

import { Fault, TOP, need } from "./bytes.js";

const LINES = {
  charter:
    "format:=isegoria\\x20record version:one group:hex32 title:text arms:arms units:int1 explore_max:share scale:scale " +
    "privacy:=open|ballots block:block? learner:=[a-z][a-z0-9_-]{0,}? settings:settings rules:rules source:source " +
    "software:text",
  roster: "version:int1 joined:rising left:rising members:member?*",
  commit: "round:int1 by:int hash:hex64",
  freeze:
    "round:int1 occasion:int? roster:int1 available:set kind:=fair|trial arm:int? block:block event:text? form:form? " +
    "tally_root:hex64 answered:int voices:ints explore:ints types:type* source_round:int?",
  witness: "freeze:hex64 by:int at:int signature:hex128?",
  reveal: "round:int1 by:int value:hex64 freeze:hex64 signature:hex128?",
  draw: "round:int1 source_bytes:=([0-9a-f]{2})+? balls:ints arms:some signatures:signatures",
  ratings: "round:int1 root:hex64 count:int1",
  override: "round:int1 slot:int arm:int reason:text by:int?",
  void: "round:int1 at:int reason:text signatures:signatures",
  amend: "field:=title|arms|block|explore_max|source value:any reason:text",
  close: "",
};
const SHAPES = {
  member: "commitment:hex64 weight:int1 key:hex64?",
  type: "set:set weight:int1 units:ints who:who",
  signed: "by:int signature:hex128",
  rules: "close:=freeze late:=next tie:=centre|vertex|utilitarian trial:=lowest|none",
  "plain source": "kind:=rehearsal|dice|group fallback:any",
  "beacon source":
    "kind:=beacon fallback:any scheme:=bls-unchained-g1-rfc9380 chain:hex64 key:hex192 genesis:int period:int1 " +
    "first:int every:int1",
  receipt:
    "format:=isegoria\\x20receipt version:one group:hex32 charter:hex64 head:hex64 member:int name:text salt:hex64 " +
    "secret:hex64 ratings:item* tallies:item*",
  item: "line:int1 leaf:any index:int path:hex64*",
  "ratings leaf": "nonce:hex64 round:int1 slot:int? values:decimal?*",
  "tally leaf": "nonce:hex64 counts:ints sums:decimal*",
  "names file": "format:=isegoria\\x20names version:one group:hex32 members:person?*",
  person: "name:text salt:hex64 secret:hex64",
};
for (const [kind, keys] of Object.entries(LINES)) SHAPES[`${kind} line`] = `line:=${kind} prev:hex64 ${keys}`;
const AMENDABLE = { title: "text", arms: "arms", block: "block?", explore_max: "share", source: "source" };

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const whole = (value, low = 0, high = TOP) => Number.isSafeInteger(value) && low <= value && value <= high;
const ints = (value) => Array.isArray(value) && value.every((one) => whole(one));
export const rising = (values) => values.every((value, i) => i === 0 || values[i - 1] < value);

/** A decimal as [numerator, power of ten], both whole: 0.25 is 25 / 10^2. */
export function exactly(text) {
  const [before, after = ""] = text.split(".");
  return [BigInt(before + after), BigInt(after.length)];
}

/** Below, equal or above 0 as a is below, equal or above b; both decimals. */
export function compared(a, b) {
  const [[x, i], [y, j]] = [exactly(a), exactly(b)];
  const difference = x * 10n ** j - y * 10n ** i;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function decimal(value) {
  const pattern = /^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/;
  return typeof value === "string" && value.length <= 400 && value !== "-0" && pattern.test(value);
}

function share(value) {
  if (typeof value !== "string" || !/^(0|[1-9][0-9]{0,8})\/([1-9][0-9]{0,8})$/.test(value)) return false;
  const [p, q] = value.split("/").map(Number);
  const gcd = (a, b) => (b ? gcd(b, a % b) : a);
  return gcd(p, q) === 1 && 2 * p <= q;
}

function source(value, inner = false) {
  const beacon = check("beacon source")(value) && value.first >= value.genesis;
  if (!beacon && !check("plain source")(value)) return false;
  const others = value.fallback;
  return Array.isArray(others) && (inner ? others.length === 0 : others.every((one) => source(one, true)));
}

const VALUES = {
  any: () => true,
  text: (v) => typeof v === "string",
  int: (v) => whole(v),
  one: (v) => v === 1,
  int1: (v) => whole(v, 1),
  block: (v) => whole(v, 1, 20),
  ints,
  rising: (v) => ints(v) && rising(v),
  some: (v) => ints(v) && v.length > 0,
  set: (v) => ints(v) && v.length > 0 && rising(v),
  who: (v) => check("hex48*")(v) && v.length > 0 && rising(v),
  arms: (v) => check("text*")(v) && v.length > 0 && !v.includes("") && new Set(v).size === v.length,
  form: (v) => ints(v) && v.length === 4 && whole(v[0], 1, 200) && v[1] <= v[2] && v[2] <= 1e9 && v[3] <= 1,
  decimal,
  share,
  source: (v) => source(v),
  scale: (v) => check("decimal*")(v) && v.length === 2 && compared(v[0], v[1]) < 0,
  settings: (v) => isObject(v) && Object.keys(v).every((key) => /^[a-z][a-z0-9_]*$/.test(key)) &&
    check("text?*")(Object.values(v)),
  signatures: (v) => check("signed*")(v) && rising(v.map((one) => one.by)),
};

/** The keys of a shape and the names of their values, in sorted order. */
function keysOf(name) {
  const parts = SHAPES[name].split(" ").filter(Boolean).map((part) => part.split(/:(.*)/s).slice(0, 2));
  return parts.sort(([a], [b]) => (a < b ? -1 : 1));
}

function hasExactly(value, keys) {
  return isObject(value) && Object.keys(value).length === keys.length && keys.every(([key]) => Object.hasOwn(value, key));
}

const checks = new Map();

/** The test that a name in the tables above stands for. */
export function check(name) {
  if (!checks.has(name)) checks.set(name, made(name));
  return checks.get(name);
}

function made(name) {
  const inner = name.slice(0, -1);
  if (name.endsWith("*")) return (value) => Array.isArray(value) && value.every((one) => check(inner)(one));
  if (name.endsWith("?")) return (value) => value === null || check(inner)(value);
  if (Object.hasOwn(VALUES, name)) return VALUES[name];
  if (Object.hasOwn(SHAPES, name)) {
    const keys = keysOf(name);
    return (value) => hasExactly(value, keys) && keys.every(([key, test]) => check(test)(value[key]));
  }
  const pattern = new RegExp(name[0] === "=" ? `^(?:${name.slice(1)})$` : `^[0-9a-f]{${name.slice(3)}}$`);
  return (value) => typeof value === "string" && pattern.test(value);
}

/** The canonical text of a value; lists of numbers or texts alone are left to the engine. */
export function canonical(value) {
  if (Array.isArray(value)) {
    const flat = value.every((one) => typeof one === "number" || typeof one === "string");
    return flat ? JSON.stringify(value) : `[${value.map(canonical).join(",")}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** Whether there is nothing but objects, lists, texts, null and whole numbers below 2^53, at most 8 deep. */
function plain(value, depth = 1) {
  if (typeof value === "object" && value !== null) {
    if (depth > 8 || (isObject(value) && !Object.keys(value).every((key) => /^[\0-\x7f]*$/.test(key)))) return false;
    return Object.values(value).every((one) => plain(one, depth + 1));
  }
  return value === null || typeof value === "string" || whole(value);
}

/** The object that a canonical line stands for, or null; whether it is also `plain` is asked only in doubt. */
function parse(raw) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
    const value = JSON.parse(text);
    const lone = text.includes("\\u") && text.replaceAll("\\\\", "").includes("\\ud"); // half of a character
    return isObject(value) && !lone && canonical(value) === text ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

function readLine(raw, at) {
  const line = parse(raw);
  const kind = line?.line;
  const known = typeof kind === "string" && Object.hasOwn(LINES, kind);
  if (known && check(`${kind} line`)(line) && (kind !== "amend" || check(AMENDABLE[line.field])(line.value))) return line;
  need(line !== null && plain(line), `${at} is not JSON in the canonical form.`, 2);
  need(known, `${at} is of no known kind.`, 2);
  const keys = keysOf(`${kind} line`);
  need(hasExactly(line, keys), `${at} (${kind}) does not have exactly the keys of its kind.`, 2);
  const wrong = keys.find(([key, test]) => !check(test)(line[key])) ?? ["value"];
  throw new Fault(2, `${at} (${kind}): "${wrong[0]}" is not what it must be.`);
}

/** The raw lines of a record and what they say; the first that cannot be read is named. */
export function readRecord(data) {
  need(data.length > 0, "the file is empty.", 2);
  need(data[data.length - 1] === 10, "the last line is cut off: a record ends with a newline.", 2);
  const raws = [];
  for (let from = 0, to; from < data.length; from = to + 1) {
    to = data.indexOf(10, from);
    raws.push(data.subarray(from, to));
  }
  return [raws, raws.map((raw, i) => readLine(raw, `line ${i + 1}`))];
}

/** A receipt or a names file: one canonical line. */
export function readBeside(data, called) {
  if (data === null) return null;
  const value = data[data.length - 1] === 10 ? parse(data.subarray(0, -1)) : null;
  need(value !== null && check(called)(value) && plain(value), `the ${called} is not a ${called}.`, 2);
  return value;
}
