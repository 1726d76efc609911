// Reading: canonical JSON, with exactly the keys and values of each kind of line. `?` allows null, `*` is a list.

import { TOP, need } from "./bytes.js";

// `+` is a list that is not empty and rises; `=` begins a pattern, hex64 is 64 digits. Lines have `line` and `prev` too.
const SHAPES = {
  "charter line":
    "format:=isegoria\\x20record version:one group:hex32 title:text arms:arms units:int1 rules:rules explore_max:share " +
    "scale:scale privacy:=open|ballots block:block? learner:=[a-z][a-z0-9_-]{0,}? settings:settings source:source " +
    "software:text",
  "roster line": "version:int1 joined:int* left:int* members:member?*",
  "commit line": "round:int1 by:int hash:hex64",
  "freeze line":
    "round:int1 occasion:int? roster:int1 available:int+ kind:=fair|trial arm:int? block:block event:text? form:form? " +
    "tally_root:hex64 answered:int voices:int* explore:int* types:type* source_round:int?",
  "witness line": "freeze:hex64 by:int at:int signature:hex128?",
  "reveal line": "round:int1 by:int value:hex64 freeze:hex64 signature:hex128?",
  "draw line": "round:int1 source_bytes:=([0-9a-f]{2}){1,}? balls:int* arms:int* signatures:signatures",
  "ratings line": "round:int1 root:hex64 count:int1",
  "override line": "round:int1 slot:int arm:int reason:text by:int?",
  "void line": "round:int1 at:int reason:text signatures:signatures",
  "amend line": "field:=title|arms|block|explore_max|source value:amended reason:text",
  "close line": "",
  member: "commitment:hex64 weight:int1 key:hex64?",
  type: "set:int+ weight:int1 units:int* who:hex48+",
  signed: "by:int signature:hex128",
  rules: "close:=freeze late:=next tie:=centre|vertex|utilitarian trial:=lowest|none",
  "plain source": "kind:=rehearsal|dice|group fallback:source*",
  "beacon source":
    "kind:=beacon fallback:source* scheme:=bls-unchained-g1-rfc9380 chain:hex64 key:hex192 genesis:int period:int1 " +
    "first:int every:int1",
  "the receipt":
    "format:=isegoria\\x20receipt version:one group:hex32 charter:hex64 head:hex64 member:four name:text salt:hex64 " +
    "secret:hex64 ratings:rated* tallies:tallied*",
  rated: "line:int1 leaf:rating index:int path:hex64*",
  rating: "nonce:hex64 round:int1 slot:int? values:decimal?*",
  tallied: "line:int1 leaf:tally index:int path:hex64*",
  tally: "nonce:hex64 counts:int* sums:decimal*",
  "the names file": "format:=isegoria\\x20names version:one group:hex32 members:person?*",
  person: "name:text salt:hex64 secret:hex64",
};
export const AMENDABLE = { title: "text", arms: "arms", block: "block?", explore_max: "share", source: "source" };

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const whole = (value, low = 0, high = TOP) => Number.isSafeInteger(value) && low <= value && value <= high;
const rising = (values) => values.every((value, i) => i === 0 || values[i - 1] < value);

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
  return 2 * p <= q;
}

function source(value) {
  const timed = check("beacon source")(value) && value.first >= value.genesis;
  return (timed || check("plain source")(value)) && value.fallback.every((one) => one.fallback.length === 0);
}

const VALUES = {
  int: (v) => whole(v),
  int1: (v) => whole(v, 1),
  four: (v) => whole(v, 0, 2 ** 32 - 1),
  one: (v) => v === 1,
  block: (v) => whole(v, 1, 20),
  text: (v) => typeof v === "string",
  head: (v) => check("hex64")(v) || check("=[a-z]{5}(-[a-z]{5}){5}")(v),
  arms: (v) => check("text*")(v) && v.length > 0 && !v.includes("") && new Set(v).size === v.length,
  form: (v) => check("int*")(v) && v.length === 4 && whole(v[0], 1, 200) && v[1] <= v[2] && v[2] <= 1e9 && v[3] <= 1,
  decimal,
  share,
  source,
  scale: (v) => check("decimal*")(v) && v.length === 2 && compared(v[0], v[1]) < 0,
  settings: (v) => isObject(v) && Object.keys(v).every((key) => /^[a-z][a-z0-9_]*$/.test(key)) &&
    check("text?*")(Object.values(v)),
  signatures: (v) => check("signed*")(v) && rising(v.map((one) => one.by)),
  amended: (v) => Object.values(AMENDABLE).some((name) => check(name)(v)),
};

/** The keys of a shape, each with the name of its test. */
function keysOf(name) {
  const own = name.endsWith(" line") ? `line:=${name.slice(0, -5)} prev:hex64 ` : "";
  return (own + SHAPES[name]).split(" ").filter(Boolean).map((part) => part.split(/:(.*)/s).slice(0, 2));
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
  if (name.endsWith("+")) return (value) => check(`${inner}*`)(value) && value.length > 0 && rising(value);
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

/** The value that a canonical line stands for, or null. */
function parse(raw) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
    const value = JSON.parse(text);
    const lone = text.includes("\\u") && text.replaceAll("\\\\", "").includes("\\ud"); // half of a character
    return !lone && canonical(value) === text ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** What a canonical line says, if it has its shape: that of its kind, unless one is asked for. */
export function read(raw, called, shape = null) {
  const value = parse(raw);
  const wanted = shape ?? `${value?.line} line`;
  const fits = Object.hasOwn(SHAPES, wanted) && check(wanted)(value);
  need(fits, `${called} is not canonical JSON with the keys and values of its kind.`, 2);
  return value;
}

/** The lines of a file, without their newlines. */
export function linesOf(data, called) {
  const whole = data.length > 0 && data[data.length - 1] === 10;
  need(whole, `${called} is empty, or its last line is cut off: it does not end with a newline.`, 2);
  const raws = [];
  for (let from = 0, to; from < data.length; from = to + 1) {
    to = data.indexOf(10, from);
    raws.push(data.subarray(from, to));
  }
  return raws;
}

/** A receipt or a names file of the record whose group and charter are given; nothing where none is given. */
export function readBeside(data, called, group, charter) {
  if (data === null) return null;
  linesOf(data, called);
  const value = read(data.subarray(0, -1), called, called);
  need(value.group === group && (value.charter ?? charter) === charter, `${called} belongs to another record.`, 2);
  return value;
}
