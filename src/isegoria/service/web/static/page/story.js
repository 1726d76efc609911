// The story of a table: people on the left, options on the right, and one switch between what a majority decides and everyone's
// voice. The page that needs no installation and the explorer show the same one.
import { optionColour, el, formatNumber, percent, shorten } from "../explorer/dom.js";
import { drawFlow, buildFlowTable } from "../explorer/flow.js";
import { showFigure } from "../explorer/figure.js";
import { translate } from "../explorer/translations.js";
import { RULES, judge, prepare } from "./rules.js";
import { allocateVoices, certifyProduct, certifyVoices, unitsPerVoice } from "./voices.js";

const [MOVE_SECONDS, DAY_SECONDS, DAYS, MAX_STRIPS, MAX_ARMS, MAX_GRID, MAX_TASTES_LENGTH] = [0.6, 0.35, 20, 24, 14, 600, 2000];
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Names as a sentence lists them; of many only the first. */
export function listNames(names, most = 6) {
  const shown = names.length > most + 1 ? [...names.slice(0, most), translate("and_more", { count: names.length - most })] : names;
  return new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(shown);
}

/** Buttons that are tapped on and off: the favourites of one person. */
export function tiles(options, chosen, change) {
  const buttons = options.map((name, k) => {
    const button = el("button", { type: "button", class: "tile", "aria-pressed": String(chosen.has(k)) }, name);
    button.onclick = () => {
      if (!chosen.delete(k)) chosen.add(k);
      button.setAttribute("aria-pressed", String(chosen.has(k)));
      change();
    };
    return button;
  });
  return el("div", { class: "tiles", role: "group", "aria-label": translate("favourites") }, buttons);
}

/** The people of a table as strips of a picture: each person, or where they are many everyone with the same favourites. */
function stripsOf(table) {
  const single = table.agents.length <= MAX_STRIPS, kinds = new Map();
  table.sets.forEach((set, i) => {
    const name = single ? String(i) : set.join();
    if (!kinds.has(name)) kinds.set(name, []);
    kinds.get(name).push(i);
  });
  const weight = (some) => some.reduce((sum, i) => sum + table.weights[i], 0);
  const sorted = [...kinds.values()].sort((a, b) => (single ? 0 : weight(b) - weight(a)));
  const shown = sorted.length > MAX_STRIPS ? [...sorted.slice(0, MAX_STRIPS - 1), sorted.slice(MAX_STRIPS - 1).flat()] : sorted;
  const label = (some) => some.length === 1 ? table.agents[some[0]] : sorted.length > MAX_STRIPS && some === shown.at(-1)
    ? translate("all_others", { count: weight(some) }) : `${weight(some)} × ${table.sets[some[0]].map((k) => table.arms[k]).join(", ")}`;
  return shown.map((members) => ({ members, label: label(members), due: weight(members) / table.total }));
}

/** What the picture shows of a judged policy: strips and options, the rarest options together as one. */
function flowOf(table, strips, judged) {
  const { flow, policy } = judged;
  const order = [...policy.keys()].sort((a, b) => table.liked[b] - table.liked[a] || a - b).slice(0, MAX_ARMS).sort((a, b) => a - b);
  const rest = [...policy.keys()].filter((k) => !order.includes(k));
  const gather = (row) => [...order.map((k) => row[k]), ...(rest.length ? [rest.reduce((sum, k) => sum + row[k], 0)] : [])];
  const rows = strips.map(({ members, label, due }) => {
    const carried = policy.map(() => 0);
    for (const i of members) {
      const type = flow.types[flow.typeOf[i]], row = flow.carried[flow.typeOf[i]];
      row.forEach((mass, k) => (carried[k] += mass / type.members.length));
    }
    const heard = carried.reduce((a, b) => a + b, 0);
    return { label, due, carried: gather(carried), unheard: due - heard > 1e-9 ? due - heard : 0, lost: heard < 1e-9 };
  });
  return { arms: gather(table.arms).length > order.length ? [...order.map((k) => table.arms[k]), translate("all_options", { count: rest.length })] : order.map((k) => table.arms[k]), places: order, chances: gather(policy), strips: rows };
}

/** A row in which the chosen arms are rated 1 and all else 0. */
const rate = (row, chosen) => row.map((_, k) => (chosen.has(k) ? 1 : 0));

/** Changed tastes from an address; what is none of this table is left out. */
function parseTastes(text, { means }) {
  const entries = [...text.matchAll(/(\d+):([\d.]*)/g)].map(([, i, arms]) => [Number(i), new Set(arms.split(".").filter(Boolean).map(Number))]);
  return entries.filter(([i, chosen]) => i < means.length && [...chosen].every((k) => k < means[0].length));
}

const mix = (a, b, share) => a + (b - a) * share;
const between = (from, to, share) => ({
  ...to, chances: to.chances.map((one, k) => mix(from.chances[k], one, share)),
  strips: to.strips.map((strip, i) => ({ ...strip, unheard: mix(from.strips[i].unheard, strip.unheard, share), carried: strip.carried.map((one, k) => mix(from.strips[i].carried[k], one, share)) })),
});

export class Story {
  /** `place` is filled; `changed(table)` is called after a taste or the rule was changed; `kept` is what `state()` gave before. */
  constructor(place, raw, { changed = () => {}, kept = {} } = {}) {
    Object.assign(this, { place, changed, rule: kept.rule in RULES ? kept.rule : "majority", chosen: null, timer: null, more: false });
    this.tastes = new Map(parseTastes(kept.tastes ?? "", raw));
    this.load({ ...raw, means: raw.means.map((row, i) => (this.tastes.has(i) ? rate(row, this.tastes.get(i)) : row)) });
    this.build();
    this.show(this.rule, false);
  }

  state() {
    return { rule: this.rule };
  }

  /** The tastes that were changed, as an address holds them: 3:0.2_5:1 for the favourites of the people 3 and 5. */
  describeTastes() {
    const text = [...this.tastes].map(([i, chosen]) => `${i}:${[...chosen].join(".")}`).join("_");
    return text.length > MAX_TASTES_LENGTH ? "" : text;
  }

  load(raw) {
    this.raw = raw;
    this.table = prepare(raw);
    this.table.liked = this.table.arms.map((_, k) => this.table.sets.reduce((sum, set, i) => sum + (set.includes(k) ? this.table.weights[i] : 0), 0));
    this.strips = stripsOf(this.table);
    this.judged = {};
  }

  /** The rule's policy judged, once for each table. */
  judge(rule) {
    return (this.judged[rule] ??= judge(this.table, RULES[rule](this.table)));
  }

  /** The proof of a rule that has one: δ of the fair lottery or of the product, in whole numbers; null without one. */
  proof(rule) {
    const { sets, weights, means, arms, total } = this.table, { policy } = this.judge(rule), units = unitsPerVoice(total);
    if (rule === "nash") return certifyProduct(means, weights, policy);
    if (rule !== "procedural" || units === null) return null;
    return certifyVoices(allocateVoices(sets, weights, policy, units).types, arms.length, units);
  }

  build() {
    const button = (rule, large) => el("button", { type: "button", class: large ? "choice-large" : "", "data-rule": rule, "aria-pressed": "false", onclick: () => this.show(rule) }, translate(`rule_${rule}`));
    this.parts = {
      said: el("p", { class: "said", role: "status" }), proof: el("p", { class: "quiet" }), picture: el("div", { class: "flow" }), person: el("div", { class: "person", role: "region", "aria-label": translate("one_person"), hidden: true }),
      month: el("div", { hidden: true }), compare: el("div", { class: "scrolls", tabindex: 0, "data-scrolls": true, role: "region", "aria-label": translate("compare") }), everyone: el("div"), names: el("div", { class: "names" }),
    };
    this.play = el("button", { type: "button", onclick: () => this.live() }, translate("live"));
    const fold = (title, ...inside) => el("details", {}, el("summary", {}, title), ...inside);
    this.place.replaceChildren(
      el("div", { class: "switch", role: "group", "aria-label": translate("who_decides") }, button("majority", true), button("procedural", true)),
      el("details", { class: "more" }, el("summary", {}, translate("more_rules")), el("div", { class: "row-of" }, ["cut", "nash", "utilitarian", "uniform"].map((rule) => button(rule, false)))),
      this.parts.said, this.parts.picture, this.parts.proof,
      el("p", { class: "quiet" }, translate("tap_person")), this.parts.names, this.parts.person,
      el("p", {}, this.play), this.parts.month,
      fold(translate("compare"), this.parts.compare), fold(translate("everyone"), this.parts.everyone));
    this.parts.everyone.parentElement.addEventListener("toggle", () => this.listEveryone());
    this.parts.compare.parentElement.addEventListener("toggle", () => this.compare());
    this.listNames();
    this.flow = flowOf(this.table, this.strips, this.judge(this.rule));
    this.refresh = showFigure(this.parts.picture, "voices", (width) => this.draw(width), () => buildFlowTable(this.flow), translate("story_caption"));
  }

  draw(width) {
    const picture = drawFlow(this.moving ?? this.flow, width);
    picture.setAttribute("aria-label", this.parts.said.textContent || translate("flow_alt"));
    return picture;
  }

  listNames() {
    const few = this.strips.length <= MAX_STRIPS && this.table.agents.length <= MAX_STRIPS;
    this.parts.names.replaceChildren(...(few ? this.table.agents.map((name, i) => el("button", { type: "button", class: "name", "data-person": i, "aria-pressed": "false", onclick: () => this.tell(i) }, shorten(name, 24))) : [this.chooser()]));
  }

  /** Where there are many people: a field with their names. */
  chooser() {
    const input = el("input", { list: "people", "aria-label": translate("one_person"), autocomplete: "off", placeholder: translate("a_name") });
    input.onchange = () => {
      const i = this.table.agents.indexOf(input.value);
      if (i >= 0) this.tell(i);
    };
    return el("span", {}, input, el("datalist", { id: "people" }, this.table.agents.slice(0, 2000).map((name) => el("option", { value: name }))));
  }

  /** Go over to a rule: the voices flow, and who is never heard is named. */
  show(rule, moves = true) {
    this.rule = rule;
    for (const one of this.place.querySelectorAll("[data-rule]")) one.setAttribute("aria-pressed", String(one.dataset.rule === rule));
    if (["cut", "nash", "utilitarian", "uniform"].includes(rule)) this.place.querySelector(".more").open = true;
    const judged = this.judge(rule), from = this.moving ?? this.flow;
    this.flow = flowOf(this.table, this.strips, judged);
    const { said } = this.parts, never = judged.unheard.map((i) => this.table.agents[i]), less = judged.neglected.filter((i) => !judged.unheard.includes(i)).map((i) => this.table.agents[i]);
    said.className = never.length || less.length ? "said bad" : "said good";
    const winners = judged.policy.flatMap((share, k) => (share > 1 - 1e-9 ? [this.table.arms[k]] : []));
    said.textContent = [
      ...(winners.length ? [translate("always", { option: winners[0] })] : []),
      ...(never.length ? [translate("never", { names: listNames(never), count: never.length })] : []),
      ...(less.length ? [translate("less", { names: listNames(less), count: less.length })] : []),
      ...(!never.length && !less.length ? [translate("all_heard", { share: `1/${this.table.total}` })] : []),
    ].join(" ");
    this.proven();
    for (const one of this.parts.names.querySelectorAll("[data-person]")) one.classList.toggle("unheard", judged.unheard.includes(Number(one.dataset.person)));
    if (this.chosen !== null) this.tell(this.chosen, false);
    if (this.parts.everyone.parentElement.open) this.listEveryone();
    this.animate(moves && !still() ? from : null);
    if (moves) this.changed(this.raw);
  }

  proven() {
    const gap = this.proof(this.rule);
    const parts = gap ? (1 / gap).toLocaleString(document.documentElement.lang, { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 1 }) : "";
    this.gap = gap;
    this.parts.proof.textContent = gap === null ? translate(`why_${this.rule}`) : `${translate(`why_${this.rule}`)} ${translate(gap > 1e-9 ? "unchecked" : gap > 0 ? "checked" : "checked_exact", { parts })}`;
  }

  animate(from) {
    cancelAnimationFrame(this.request);
    this.moving = null;
    if (!from || from.chances.length !== this.flow.chances.length || from.strips.length !== this.flow.strips.length) return this.refresh();
    const start = performance.now(), to = this.flow;
    const step = (now) => {
      const share = Math.min(1, (now - start) / 1000 / MOVE_SECONDS);
      this.moving = share < 1 ? between(from, to, share * share * (3 - 2 * share)) : null;
      this.refresh();
      if (share < 1) this.request = requestAnimationFrame(step);
    };
    this.request = requestAnimationFrame(step);
  }

  /** One sentence on a person under the rule that is shown. */
  sentence(i, rule = this.rule) {
    const { favourite, flow } = this.judge(rule), { agents, arms, sets } = this.table, type = flow.typeOf[i];
    const name = agents[i], own = sets[i];
    if (own.length === arms.length) return translate("person_all", { name });
    const parts = own.filter((k) => flow.carried[type][k] > 1e-9).map((k) => translate("part", { option: arms[k], share: percent(flow.carried[type][k] / flow.carried[type].reduce((a, b) => a + b, 0)) }));
    if (favourite[i] <= 1e-9) return translate("person_never", { name, options: listNames(own.map((k) => arms[k])) });
    return translate(flow.ratios[i] < 1 - 1e-9 ? "person_less" : "person_heard", { name, share: percent(favourite[i]), parts: parts.length > 1 ? listNames(parts) : arms[own.find((k) => flow.carried[type][k] > 1e-9)], heard: percent(flow.ratios[i]) });
  }

  /** A person's sentence and tiles, with which a taste is changed. */
  tell(i, focus = true) {
    this.chosen = i;
    for (const one of this.parts.names.querySelectorAll("[data-person]")) one.setAttribute("aria-pressed", String(Number(one.dataset.person) === i));
    const chosen = new Set(this.table.sets[i]), { person } = this.parts, sentence = el("p", { role: "status" }, this.sentence(i));
    const row = tiles(this.table.arms.slice(0, 60), chosen, () => this.alter(i, chosen));
    if (!person.hidden && !focus && person.dataset.person === String(i)) return person.querySelector("p").replaceWith(sentence);
    person.dataset.person = i;
    person.hidden = false;
    person.replaceChildren(sentence, el("p", { class: "quiet" }, translate("change_taste", { name: this.table.agents[i] })), row);
  }

  /** A changed taste: the favourites are rated 1 and all else 0; without any favourite the ratings were all equal. */
  alter(i, chosen) {
    const means = this.raw.means.map((row, j) => (j === i ? rate(row, chosen) : row));
    this.tastes.set(i, chosen);
    this.stop();
    this.load({ ...this.raw, means });
    this.show(this.rule);
  }

  listEveryone() {
    if (!this.parts.everyone.parentElement.open) return;
    const { agents } = this.table;
    this.parts.everyone.replaceChildren(el("ul", { class: "plain" }, agents.slice(0, MAX_GRID).map((_, i) => el("li", {}, this.sentence(i)))),
      agents.length > MAX_GRID ? el("p", { class: "quiet" }, translate("first_only", { count: MAX_GRID })) : "");
  }

  compare() {
    if (!this.parts.compare.parentElement.open) return;
    const { arms } = this.table, shown = [...arms.keys()].sort((a, b) => this.table.liked[b] - this.table.liked[a]).slice(0, 12).sort((a, b) => a - b);
    const rows = Object.keys(RULES).map((rule) => {
      const { policy, unheard, score, worst, average } = this.judge(rule);
      return el("tr", {}, el("th", { scope: "row" }, translate(`rule_${rule}`)), el("td", {}, percent(score)), el("td", { class: unheard.length ? "bad" : "" }, String(unheard.length)), el("td", {}, formatNumber(average, 2)), el("td", {}, formatNumber(worst, 2)),
        shown.map((k) => el("td", {}, policy[k] > 1e-9 ? percent(policy[k]) : "·")));
    });
    const head = [translate("rule"), translate("voices_heard"), translate("never_heard"), translate("average_rating"), translate("least_rating"), ...shown.map((k) => shorten(arms[k], 18))];
    this.parts.compare.replaceChildren(el("table", {}, el("caption", { class: "unseen" }, translate("compare")), el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))), el("tbody", {}, rows)));
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    this.play.textContent = translate("live");
  }

  /** Twenty days under both rules, one by one: how often each person got a favourite. */
  live() {
    if (this.timer) return this.stop();
    this.play.textContent = translate("live_stop");
    const { agents, sets, arms } = this.table, people = agents.slice(0, 60);
    const days = Object.fromEntries(["majority", "procedural"].map((rule) => [rule, spreadDays(this.judge(rule).policy, DAYS)]));
    const counts = Object.fromEntries(Object.keys(days).map((rule) => [rule, agents.map(() => 0)]));
    const today = el("p", { role: "status", class: "today" });
    const cells = people.map(() => Object.keys(days).map(() => el("td", {}, el("span", { class: "days" }), el("b", {}, "0"))));
    const table = el("table", { class: "month" }, el("caption", { class: "unseen" }, translate("month_caption")),
      el("thead", {}, el("tr", {}, [translate("who"), translate("rule_majority"), translate("rule_procedural")].map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, people.map((name, i) => el("tr", {}, el("th", { scope: "row" }, shorten(name, 24)), cells[i]))));
    this.parts.month.hidden = false;
    this.parts.month.replaceChildren(today, table, agents.length > people.length ? el("p", { class: "quiet" }, translate("first_only", { count: people.length })) : "");
    let day = 0;
    const step = () => {
      Object.keys(days).forEach((rule, column) => {
        const arm = days[rule][day];
        sets.forEach((set, i) => {
          const got = set.includes(arm);
          if (got) counts[rule][i] += 1;
          if (i >= people.length) return;
          const [dots, total] = cells[i][column].children;
          const mark = el("i", { class: got ? "got" : "" });
          if (got) mark.style.setProperty("--day", optionColour(arm));
          dots.append(mark);
          total.textContent = String(counts[rule][i]);
        });
      });
      today.textContent = translate("day", { day: day + 1, majority: arms[days.majority[day]], fair: arms[days.procedural[day]] });
      day += 1;
      if (day < DAYS) this.timer = setTimeout(step, still() ? 0 : 1000 * DAY_SECONDS);
      else {
        const none = (rule) => counts[rule].filter((count) => count === 0).length;
        today.textContent = translate("month_over", { days: DAYS, majority: none("majority"), fair: none("procedural") });
        this.stop();
      }
    };
    step();
  }
}

/** Days that follow a policy as evenly as a block of draws does: equal steps from a random start, in random order. */
function spreadDays(policy, days) {
  const start = randomShare() / days, found = Array.from({ length: days }, (_, j) => {
    let rest = start + j / days, arm = 0;
    while (arm < policy.length - 1 && rest >= policy[arm]) rest -= policy[arm++];
    return arm;
  });
  for (let i = days - 1; i > 0; i--) {
    const j = Math.floor(randomShare() * (i + 1));
    [found[i], found[j]] = [found[j], found[i]];
  }
  return found;
}

const randomShare = () => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
