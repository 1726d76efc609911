// Tables from text: CSV and its relatives, exports of forms, PrefLib, Pabulib and JSON. Every refusal names the place.

const [MAX_ROWS, MAX_ARMS] = [20000, 200];
const GAPS = new Set(["", "n/a", "na", "nan", "null", "none", "-", "–"]);
const WORDS = new Map([...["yes", "true", "x", "✓", "✔", "ja", "wahr"].map((word) => [word, 1]), ...["no", "false", "nein", "falsch"].map((word) => [word, 0])]);
const NAME_HEADINGS = ["agent", "name", "member", "person", "mitglied"];
const POLIS_HEADINGS = [["participant", "n-votes"], ["comment-id", "voter-id", "vote"]];
const SCALES = [[0, 1], [1, 5], [0, 5], [1, 7], [1, 10], [0, 10], [0, 100]];

/** Why a text is no table, or an answer no answer: `id` and `values` of a sentence of the page. */
export class TableError extends Error {
  constructor(id, values) {
    super(`${id}: ${values.join(", ")}`);
    Object.assign(this, { id, values });
  }
}
export const refuse = (id, ...values) => {
  throw new TableError(id, values);
};

/** The cells of a text with separators; quotes may hold separators, line ends and doubled quotes. */
export function splitCells(text, separator) {
  const rows = [];
  let row = [], cell = "", quoted = false, fresh = true;
  const endCell = () => (row.push(cell.trim()), (cell = ""), (fresh = true));
  const endRow = () => (endCell(), row.some((one) => one !== "") && rows.push(Object.assign(row, { line: rows.line })), (row = []));
  let line = 1;
  rows.line = 1;
  for (let i = 0; i < text.length; i++) {
    const one = text[i];
    if (quoted && one === '"' && text[i + 1] === '"') (cell += '"'), i++;
    else if (quoted && one === '"') quoted = false;
    else if (!quoted && fresh && one === '"') [quoted, fresh, cell] = [true, false, ""];
    else if (!quoted && one === separator) endCell();
    else if (!quoted && one === "\n") endRow(), (rows.line = line + 1);
    else if (one !== "\r" || quoted) {
      cell += one;
      if (one.trim() !== "") fresh = false;
    }
    if (one === "\n") line++;
  }
  if (quoted) refuse("t_quote", rows.line);
  endRow();
  return rows;
}

/** The separator by which most lines of a text have the same number of cells, more than one. */
function separatorOf(text) {
  const named = /^sep=(.)\r?\n/.exec(text);
  if (named) return named[1];
  const first = text.slice(0, 20000);
  const scores = [",", ";", "\t", "|"].map((mark) => {
    const widths = splitCells(first.includes('"') ? text : first, mark).map((row) => row.length).slice(0, 30);
    return { mark, width: widths[0] ?? 1, even: widths.filter((width) => width === widths[0]).length / (widths.length || 1) };
  });
  const best = scores.filter((one) => one.width > 1).sort((a, b) => b.even - a.even || b.width - a.width)[0];
  return best?.mark ?? ",";
}

const isNumber = (text) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);

/** The numbers of cells, and null for a gap; what is neither is refused by its place. */
function readNumbers(rows, columns, head, nameOf) {
  const cells = rows.flatMap((row) => columns.map((at) => row[at] ?? ""));
  const comma = cells.some((cell) => /^[+-]?\d+,\d+$/.test(cell)) && !cells.some((cell) => isNumber(cell) && cell.includes("."));
  const rated = cells.some((cell) => isNumber(cell.replace(",", ".")) && ![0, 1].includes(Number(cell.replace(",", ".")))); // then yes is no rating
  const means = rows.map((row, i) => columns.map((at) => {
    const cell = (row[at] ?? "").toLowerCase(), plain = comma ? cell.replace(",", ".") : cell;
    if (GAPS.has(cell)) return null;
    if (WORDS.has(cell) && !rated) return WORDS.get(cell);
    if (/^[\d.]+\s*%$/.test(plain) && isNumber(plain.replace(/\s*%$/, ""))) return Number(plain.replace(/\s*%$/, "")) / 100;
    const number = isNumber(plain) ? Number(plain) : NaN;
    if (!Number.isFinite(number)) refuse("t_cell", row.line, nameOf(i), head[at], row[at].slice(0, 40));
    return number;
  }));
  return means;
}

/** Ratings brought to 0 … 1: by the named scale, or the smallest usual one that holds them; gaps count as the lowest. */
function rescale(means, notes, scale) {
  let low = Infinity, high = -Infinity, gaps = 0;
  for (const row of means) for (const one of row) one === null ? gaps++ : ((low = Math.min(low, one)), (high = Math.max(high, one)));
  if (low > high) [low, high] = [0, 1];
  const ends = scale ?? SCALES.find(([from, to]) => low >= from && high <= to) ?? [low, high];
  if (low < ends[0] || high > ends[1]) refuse("t_scale", low < ends[0] ? low : high, ...ends);
  if (ends[0] !== 0 || ends[1] !== 1) notes.push(["n_scale", ...ends]);
  if (gaps) notes.push(["n_gaps", gaps]);
  return means.map((row) => row.map((one) => (one === null ? 0 : (one - ends[0]) / (ends[1] - ends[0] || 1))));
}

const unique = (names) => {
  const seen = new Map();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name} (${count})` : name;
  });
};

function readWeights(rows, at, nameOf) {
  return rows.map((row, i) => {
    const cell = at < 0 ? "1" : row[at] ?? "";
    if (!/^[1-9]\d{0,8}$/.test(cell)) refuse("t_weight", row.line, nameOf(i), cell.slice(0, 20));
    return Number(cell);
  });
}

/** A checkbox question of a form: every cell lists what was ticked. */
function readTicks(rows, at, names) {
  const listed = rows.map((row) => (row[at] ?? "").split(/\s*[;,]\s*/).filter(Boolean));
  const arms = [...new Set(listed.flat())];
  return { arms, agents: names, weights: rows.map(() => 1), means: listed.map((ticks) => arms.map((arm) => (ticks.includes(arm) ? 1 : 0))) };
}

function readSeparated(text, scale) {
  const notes = [], all = splitCells(text.replace(/^sep=.\r?\n/, ""), separatorOf(text));
  if (all.length && all[0].length > 1 && all[0].every(isNumber)) {
    notes.push(["n_no_names"]);
    all.unshift(all[0].map((_, k) => `Option ${k + 1}`));
  }
  if (all.length < 2) refuse("t_short");
  const [head, ...rows] = all, lower = head.map((cell) => cell.toLowerCase());
  if (POLIS_HEADINGS.some((names) => names.every((name) => lower.includes(name)))) refuse("t_polis");
  if (["round", "member", "option"].every((name, i) => lower[i] === name)) refuse("t_history");
  if (["agent", "arm", "value"].every((name, i) => lower[i] === name)) return readLong(rows, scale, notes);
  const used = head.map((_, at) => rows.some((row) => (row[at] ?? "") !== ""));
  const weightAt = lower.indexOf("weight");
  const isText = (at) => rows.some((row) => row[at] && !isNumber(row[at].replace(",", ".").replace(/\s*%$/, "")) && !GAPS.has(row[at].toLowerCase()) && !WORDS.has(row[at].toLowerCase()));
  const stamp = lower.findIndex((cell) => ["timestamp", "zeitstempel", "start time", "id"].includes(cell));
  const skipped = new Set([weightAt, ...lower.flatMap((cell, at) => (/^(timestamp|zeitstempel|id|(start|completion) time|(e-?mail)( address)?|startzeit|fertigstellungszeit|score)$/.test(cell) ? [at] : []))]);
  let nameAt = lower.findIndex((cell) => NAME_HEADINGS.includes(cell) || /\bname\b/.test(cell));
  if (nameAt < 0) nameAt = head.findIndex((_, at) => !skipped.has(at) && used[at] && (at === 0 || stamp >= 0) && isText(at) && !/\[.*\]$/.test(head[at]));
  let columns = head.flatMap((_, at) => (at !== nameAt && !skipped.has(at) && used[at] ? [at] : []));
  const names = unique(rows.map((row, i) => (nameAt >= 0 && row[nameAt]) || `#${i + 1}`)), nameOf = (i) => names[i];
  const ticks = columns.filter(isText);
  if (stamp >= 0 || (columns.length === 1 && ticks.length === 1)) {
    const asked = columns.filter((at) => /\[.*\]$/.test(head[at]));
    if (asked.length) columns = asked;
    else if (columns.length === 0 && nameAt >= 0 && /[;,]/.test(rows.map((row) => row[nameAt]).join())) return { ...readTicks(rows, nameAt, rows.map((_, i) => `#${i + 1}`)), notes };
    else if (ticks.length === 1) return { ...readTicks(rows, ticks[0], names), notes };
  }
  if (!columns.length) refuse("t_columns");
  if (nameAt >= 0 && !NAME_HEADINGS.includes(lower[nameAt]) && columns.every((at) => isNumber(head[at]))) refuse("t_heading");
  rows.forEach((row, i) => row.length > head.length && refuse("t_wide", row.line, nameOf(i), row.length, head.length));
  columns.forEach((at) => head[at] || refuse("t_nameless", at + 1));
  const arms = unique(columns.map((at) => /\[(.*)\]$/.exec(head[at])?.[1] ?? head[at]));
  const means = rescale(readNumbers(rows, columns, head, nameOf), notes, scale);
  return { arms, agents: names, weights: readWeights(rows, weightAt, nameOf), means, notes };
}

function readLong(rows, scale, notes) {
  const agents = [...new Set(rows.map((row) => row[0]))], arms = [...new Set(rows.map((row) => row[1]))];
  const means = agents.map(() => arms.map(() => null)), weights = agents.map(() => 1);
  const places = [new Map(agents.map((name, i) => [name, i])), new Map(arms.map((name, k) => [name, k]))];
  const values = readNumbers(rows, [2], ["", "", "value"], (i) => rows[i][0]);
  const held = readWeights(rows, rows.some((row) => row.length > 3) ? 3 : -1, (i) => rows[i][0]);
  rows.forEach((row, i) => {
    const [agent, arm] = [places[0].get(row[0]), places[1].get(row[1])];
    if (means[agent][arm] !== null) refuse("t_twice", row.line, row[0], row[1]);
    means[agent][arm] = values[i][0];
    weights[agent] = held[i];
  });
  return { agents, arms, weights, means: rescale(means, notes, scale), notes };
}

/** PrefLib's orders and categories: a line for each ballot, with how many cast it. */
function readPreflib(text) {
  const lines = text.split(/\r?\n/), names = new Map(), ballots = [];
  const categories = /^# NUMBER CATEGORIES:\s*(\d+)/m.exec(text);
  lines.forEach((line, i) => {
    const named = /^# ALTERNATIVE NAME (\d+): (.*)$/.exec(line), ballot = /^(\d+):\s*(.+)$/.exec(line);
    if (named) names.set(Number(named[1]), named[2].trim());
    else if (ballot) ballots.push({ line: i + 1, count: Number(ballot[1]), classes: [...ballot[2].matchAll(/\{([^}]*)\}|(\d+)/g)].map((one) => (one[1] ?? one[2]).split(",").map((part) => part.trim()).filter(Boolean).map(Number)) });
    else if (line.trim() && !line.startsWith("#")) refuse("t_ballot", i + 1, line.slice(0, 40));
  });
  if (!ballots.length || !names.size) refuse("t_preflib");
  const numbers = [...names.keys()], arms = unique(numbers.map((number) => names.get(number)));
  const notes = [];
  let open = false, from = 1;
  const means = ballots.map(({ classes, line }) => {
    const rank = new Map(classes.flatMap((some, place) => some.map((number) => [number, place])));
    for (const number of rank.keys()) if (!names.has(number)) refuse("t_alternative", line, number);
    const missing = numbers.some((number) => !rank.has(number));
    open ||= missing;
    const count = categories ? Number(categories[1]) : classes.length + (missing ? 1 : 0);
    return numbers.map((number) => (count < 2 ? 1 : 1 - (rank.get(number) ?? count - 1) / (count - 1)));
  });
  if (open) notes.push(["n_unranked"]);
  const agents = ballots.map(({ count }) => (count > 1 ? `${from}–${(from += count) - 1}` : String((from += count) - 1)));
  return { arms, agents, weights: ballots.map((one) => one.count), means, notes };
}

/** Pabulib: the sections META, PROJECTS and VOTES. */
function readPabulib(text) {
  const rows = splitCells(text, ";"), at = (name) => rows.findIndex((row) => row[0].toUpperCase() === name && row.length < 3 && row.slice(1).every((cell) => !cell));
  const [meta, projects, votes] = ["META", "PROJECTS", "VOTES"].map(at);
  const whole = 0 <= meta && meta < projects && projects + 2 < votes && votes + 2 < rows.length;
  if (!whole || !rows[projects + 1].includes("project_id") || !rows[votes + 1].includes("vote")) refuse("t_pabulib");
  const terms = new Map(rows.slice(meta + 2, projects).map((row) => [row[0], row[1]])), kind = terms.get("vote_type") ?? "approval";
  const columns = rows[projects + 1].map((cell) => cell.toLowerCase()), list = rows.slice(projects + 2, votes);
  const ids = list.map((row) => row[columns.indexOf("project_id")]), named = list.map((row) => row[columns.indexOf("name")]);
  list.forEach((row, i) => ids[i] || refuse("t_project", row.line, ""));
  const arms = columns.includes("name") && new Set(named).size === named.length && named.every(Boolean) ? named : unique(ids);
  const fields = rows[votes + 1].map((cell) => cell.toLowerCase()), ballots = rows.slice(votes + 2);
  const place = new Map(ids.map((id, k) => [id, k])), [voteAt, pointsAt] = [fields.indexOf("vote"), fields.indexOf("points")];
  let most = Number(terms.get("max_points") ?? 0);
  if (!most) for (const row of ballots) for (const one of (row[pointsAt] ?? "").split(",")) most = Math.max(most, Number(one) || 0);
  const means = ballots.map((row) => {
    const found = arms.map(() => 0), chosen = (row[voteAt] ?? "").split(",").map((one) => one.trim()).filter(Boolean), points = (row[pointsAt] ?? "").split(",");
    chosen.forEach((id, rank) => {
      if (!place.has(id)) refuse("t_project", row.line, id);
      found[place.get(id)] = kind === "ordinal" ? (chosen.length < 2 ? 1 : 1 - rank / (chosen.length - 1)) : ["cumulative", "scoring"].includes(kind) ? (Number(points[rank]) || 0) / (most || 1) : 1;
    });
    return found;
  });
  return { arms, agents: unique(ballots.map((row) => row[0])), weights: ballots.map(() => 1), means, notes: [["n_pabulib"]] };
}

function readJson(text, scale) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    refuse("t_json");
  }
  const { means = value } = value, rows = Array.isArray(means) ? means : [];
  if (!rows.length || !rows.every((row) => Array.isArray(row) && row.length === rows[0].length && row.length && row.every((one) => Number.isFinite(one)))) {
    refuse("t_means");
  }
  const { arms = rows[0].map((_, k) => `Arm ${k + 1}`), agents = rows.map((_, i) => `Agent ${i + 1}`), weights = rows.map(() => 1) } = value;
  if (![arms, agents, weights].every(Array.isArray) || arms.length !== rows[0].length || agents.length !== rows.length || weights.length !== rows.length) refuse("t_lengths");
  const notes = [];
  return { arms: unique(arms.map(String)), agents: unique(agents.map(String)), weights, means: rescale(rows, notes, scale), notes };
}

/** A table from a text of any kind that is known: {arms, agents, weights, means, notes}; a TableError says what is wrong. */
export function readTable(raw, scale = null) {
  const text = raw.replace(/^\ufeff/, "");
  if (!text.trim()) refuse("t_empty");
  const kind = /^\s*[[{]/.test(text) ? readJson : /^\s*# [A-Z0-9 ]+:/.test(text) ? readPreflib : /^\s*META\s*(;|\r?\n)/i.test(text) ? readPabulib : readSeparated;
  const table = kind(text.replace(/^\s*\n/, ""), scale), { arms, agents, weights, means } = table;
  const fits = agents.length === means.length && weights.every((one) => Number.isSafeInteger(one) && one > 0) && means.every((row) => row.length === arms.length && row.every((one) => one >= 0 && one <= 1));
  if (!arms.length || !agents.length || !fits) refuse("t_damaged");
  if (table.agents.length > MAX_ROWS || table.arms.length > MAX_ARMS) refuse("t_large", table.agents.length, table.arms.length);
  return table;
}

const quote = (cell) => (/[",;\n\r]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Rows of texts, numbers and gaps as CSV. */
export const toCsv = (rows) => `${rows.map((row) => row.map((cell) => quote(String(cell ?? ""))).join(",")).join("\n")}\n`;

/** A table as CSV, with a column of weights where they differ from 1. */
export function writeCsv({ arms, agents, weights, means }) {
  const weighted = weights.some((weight) => weight !== 1), rows = [["agent", ...arms, ...(weighted ? ["weight"] : [])]];
  means.forEach((row, i) => rows.push([agents[i], ...row, ...(weighted ? [weights[i]] : [])]));
  return toCsv(rows);
}

/** A table as the JSON that `iso.read` reads. */
export const writeJson = ({ arms, agents, weights, means }) => `${JSON.stringify({ means, agents, arms, weights })}\n`;
