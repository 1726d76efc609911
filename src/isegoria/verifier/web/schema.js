// Reading: canonical JSON, with exactly the keys and values of each kind of line. `?` allows null, `*` is a list.

import { MAX_SAFE_INTEGER, require } from "./bytes.js";

// `+` is a list that is not empty and rises; `=` begins a pattern, hex64 is 64 digits. Lines have `line` and `prev` too.
const FIELD_SCHEMAS = {
  "charter line":
    "format:=isegoria\\x20record version:three group:hex32 title:text arms:arms scale:scale privacy:=open|ballots " +
    "block:block? learner:=guided? settings:settings resting:rest tie_break:=centre|vertex|utilitarian turns:turns? source:source " +
    "software:text",
  "roster line": "version:int1 members:member?*",
  "statement line": "member:int size:int head:hex64 at:int kind:=seen|commit|reveal|dice|compare value:=[0-9a-f]{2,}? signature:hex128",
  "freeze line":
    "round:int1 at:int roster:int1 available:int+ block:block title:title dice_form:form? occurrence:int? source_round:int? " +
    "root:hex64 leaf_count:int units:int1 arm_units:int* types:type* absent:absent*",
  "trial line": "round:int1 occurrence:int? roster:int1 available:int+ arm:int",
  "draw line": "round:int1 source_bytes:=([0-9a-f]{2}){1,} balls:int* arms:int*",
  "ratings line": "round:int1 root:hex64 leaf_count:int1",
  "override line": "round:int1 slot:int arm:int reason:text member:int? signature:hex128?",
  "amend line": "field:=title|arms|block|source|resting|end value:amended reason:text",
  turns: "mode:=lottery|deterministic worlds:block single_use:mark",
  member: "commitment:hex64 weight:int1 key:hex64? provenance:provenance? proof:hex128? organiser:mark by_hand:mark",
  provenance: "how:how at:int",
  type: "candidates:int+ leader:int? weight:int1 units:int* pseudonyms:hex48+",
  absent: "weight:int1 pseudonyms:hex48+",
  "plain form": "count:count low:int high:int order:=throw|colour|published|sorted",
  "plain source": "kind:=rehearsal|dice|commit_reveal",
  "beacon source":
    "kind:=beacon scheme:=bls-unchained-g1-rfc9380 chain:hex64 key:hex192 genesis:int period:int1 first_at:int interval_seconds:int1",
  "the receipt":
    "format:=isegoria\\x20receipt version:three group:hex32 record:hex64 head:hex64 member:four " +
    "state:=invited|pending|active|by_hand|away|left|removed round:int1? until:int? name:text salt:hex64 secret:hex64 ratings:rated*",
  rated: "line:int1 leaf:rating index:int path:hex64*",
  rating: "at:int nonce:hex64 round:int1 signature:hex128? slot:four? values:decimal?*",
  "chain info":
    "public_key:hex192 period:int1 genesis_time:int hash:hex64 groupHash:hex64 schemeID:=bls-unchained-g1-rfc9380 metadata:metadata",
  metadata: "beaconID:text",
  "the names file": "format:=isegoria\\x20names version:three group:hex32 members:person?*",
  person: "name:text salt:hex64 secret:hex64",
};
/** How a key came to the keeper of the record, in words. */
export const PROVENANCES = {
  founder: "founder of the group", join_link: "join link", letter_typed_by_member: "letter to an address typed by the member",
  letter_typed_by_organiser: "letter to an address typed by the organiser", organiser_link: "link issued by the organiser", key_file: "key file",
};
export const AMENDABLE = { title: "text", arms: "arms", block: "block?", source: "source", resting: "rest", end: "nothing" };

/** What a shape asks beyond its keys, one by one: how they fit together. */
const OBJECT_RULES = {
  "charter line": ({ learner, settings, scale }) => hasValidLearner(learner, settings) && (learner === null || hasUsableScale(scale)),
  "statement line": ({ size, kind, value }) => size >= 2 && getValidator(STATEMENT_VALUES[kind])(value),
  "override line": ({ member, signature }) => (member === null) === (signature === null),
  member: ({ key, provenance, proof, by_hand: byHand }) =>
    key === null ? provenance === null && proof === null : provenance !== null && proof !== null && byHand === 0,
  "the receipt": ({ state, round, until }) => (round !== null) === (state === "pending") && (until === null || state === "away"),
  "plain form": ({ low, high }) => low <= high && high <= 1e9,
  "beacon source": ({ first_at: first, genesis }) => first >= genesis,
};
const STATEMENT_VALUES = { seen: "nothing", commit: "hex64", reveal: "hex64", dice: "=([0-9a-f]{2}){1,2200}", compare: "hex72" };

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const whole = (value, low = 0, high = MAX_SAFE_INTEGER) => Number.isSafeInteger(value) && low <= value && value <= high;
const rising = (values) => values.every((value, i) => i === 0 || values[i - 1] < value);

/** A decimal as [numerator, power of ten], both whole: 0.25 is 25 / 10^2. */
export function parseDecimal(text) {
  const [before, after = ""] = text.split(".");
  return [BigInt(before + after), BigInt(after.length)];
}

/** Below, equal or above 0 as a is below, equal or above b; both decimals. */
export function compareDecimals(a, b) {
  const [[x, i], [y, j]] = [parseDecimal(a), parseDecimal(b)];
  const difference = x * 10n ** j - y * 10n ** i;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function decimal(value) {
  const pattern = /^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/;
  return typeof value === "string" && value.length <= 400 && value !== "-0" && pattern.test(value);
}

/** The settings of the guided learner, each in its range; without a learner there are none. */
function hasValidLearner(learner, settings) {
  const keys = Object.keys(settings).sort().join(" ");
  if (learner === null) return keys === "";
  if (keys !== "error explore resolution" || !Object.values(settings).every(decimal)) return false;
  const { error, resolution, explore } = settings;
  const above = (text, bound) => compareDecimals(text, bound) > 0;
  return above(error, "0") && above("1", error) && !above("0", resolution) && above("1", resolution) &&
    above(explore, "0") && !above(explore, "1");
}

/** Whether rewards on this scale are numbers: its ends differ as doubles, by a finite amount. */
function hasUsableScale([low, high]) {
  const width = Number(high) - Number(low);
  return Number.isFinite(width) && width > 0;
}

const source = (value) => getValidator("beacon source")(value) || getValidator("plain source")(value);

const VALUE_TESTS = {
  int: (v) => whole(v),
  int1: (v) => whole(v, 1),
  four: (v) => whole(v, 0, 2 ** 32 - 1),
  mark: (v) => whole(v, 0, 1),
  three: (v) => v === 3,
  nothing: (v) => v === null,
  block: (v) => whole(v, 1, 20),
  rest: (v) => whole(v, 0, 20),
  how: (v) => typeof v === "string" && Object.hasOwn(PROVENANCES, v),
  count: (v) => whole(v, 1, 200),
  text: (v) => typeof v === "string",
  title: (v) => typeof v === "string" && v !== "" && [...v].length <= 80,
  head: (v) => getValidator("hex64")(v) || getValidator("=[a-z]{5}(-[a-z]{5}){9}")(v),
  arms: (v) => getValidator("text*")(v) && v.length > 0 && !v.includes("") && new Set(v).size === v.length,
  form: (v) => getValidator("plain form")(v),
  decimal,
  source,
  scale: (v) => getValidator("decimal*")(v) && v.length === 2 && compareDecimals(v[0], v[1]) < 0,
  settings: isObject,
  amended: (v) => Object.values(AMENDABLE).some((name) => getValidator(name)(v)),
};

/** The keys of a shape, each with the name of its test. */
function keysOf(name) {
  const own = name.endsWith(" line") ? `line:=${name.slice(0, -5)} prev:hex64 ` : "";
  return (own + FIELD_SCHEMAS[name]).split(" ").filter(Boolean).map((part) => part.split(/:(.*)/s).slice(0, 2));
}

function hasExactly(value, keys) {
  return isObject(value) && Object.keys(value).length === keys.length && keys.every(([key]) => Object.hasOwn(value, key));
}

const checks = new Map();

/** The test that a name in the tables above stands for. */
export function getValidator(name) {
  if (!checks.has(name)) checks.set(name, makeValidator(name));
  return checks.get(name);
}

function makeValidator(name) {
  const inner = name.slice(0, -1);
  if (name.endsWith("*")) return (value) => Array.isArray(value) && value.every((one) => getValidator(inner)(one));
  if (name.endsWith("+")) return (value) => getValidator(`${inner}*`)(value) && value.length > 0 && rising(value);
  if (name.endsWith("?")) return (value) => value === null || getValidator(inner)(value);
  if (Object.hasOwn(VALUE_TESTS, name)) return VALUE_TESTS[name];
  if (Object.hasOwn(FIELD_SCHEMAS, name)) {
    const keys = keysOf(name);
    const fits = OBJECT_RULES[name] ?? (() => true);
    return (value) => hasExactly(value, keys) && keys.every(([key, test]) => getValidator(test)(value[key])) && fits(value);
  }
  const pattern = new RegExp(name[0] === "=" ? `^(?:${name.slice(1)})$` : `^[0-9a-f]{${name.slice(3)}}$`);
  return (value) => typeof value === "string" && pattern.test(value);
}

/** The canonical text of a value; lists of numbers or texts alone are left to the engine. */
export function dumpCanonical(value) {
  if (Array.isArray(value)) {
    const flat = value.every((one) => typeof one === "number" || typeof one === "string");
    return flat ? JSON.stringify(value) : `[${value.map(dumpCanonical).join(",")}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${dumpCanonical(value[key])}`).join(",")}}`;
}

/** The value that a canonical line stands for, or null. */
function parse(raw) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
    const value = JSON.parse(text);
    const lone = text.includes("\\u") && text.replaceAll("\\\\", "").includes("\\ud"); // half of a character
    return !lone && dumpCanonical(value) === text ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** A beacon's chain info, or null: its JSON need not be canonical. */
export function readChainInfo(data) {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data));
    return getValidator("chain info")(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** What a canonical line says, if it has its shape: that of its kind, unless one is asked for. */
export function parseLine(raw, called, shape = null) {
  const value = parse(raw);
  const wanted = shape ?? `${value?.line} line`;
  const fits = Object.hasOwn(FIELD_SCHEMAS, wanted) && getValidator(wanted)(value);
  require(fits, `${called} is not canonical JSON with the keys and values of its kind.`, 2);
  return value;
}

/** The lines of a file, without their newlines. */
export function splitLines(data, called) {
  const whole = data.length > 0 && data[data.length - 1] === 10;
  require(whole, `${called} is empty, or its last line is cut off: it does not end with a newline.`, 2);
  const raws = [];
  for (let from = 0, to; from < data.length; from = to + 1) {
    to = data.indexOf(10, from);
    raws.push(data.subarray(from, to));
  }
  return raws;
}

/** The lines of a record, read; a record of an earlier version is told from one that is damaged. */
export function readRecord(data) {
  const raws = splitLines(data, "the record");
  const first = new TextDecoder().decode(raws[0]);
  const old = first.includes(`"line":"charter"`) ? /"version":([12])\}$/.exec(first) : null;
  require(!old, `this is a record of version ${old?.[1]}, before the first release; this verifier reads version 3.`, 2);
  return { raws, lines: raws.map((raw, i) => parseLine(raw, `line ${i + 1}`)) };
}

/** A receipt or a names file of the record whose group and id are given; nothing where none is given. */
export function readCompanion(data, called, group, id) {
  if (data === null) return null;
  splitLines(data, called);
  const value = parseLine(data.subarray(0, -1), called, called);
  require(value.group === group && (value.record ?? id) === id, `${called} belongs to another record.`, 2);
  return value;
}
