// Turns with memory: who was unlucky is owed, and the next draw pays back. The state is that of `isegoria turns --state`.
import { encodeText } from "/verify/bytes.js";
import { locateBall, makeStream } from "/verify/draw.js";
import { dumpCanonical } from "/verify/schema.js";
import { Ledger, UNITS } from "/verify/turns.js";
import { el, formatNumber } from "../explorer/dom.js";
import { translate } from "../explorer/translations.js";
import { MAX_LINK, keepForReload, pack, recall, save } from "./keep.js";
import { RULES, prepare } from "./rules.js";
import { allocateVoices } from "./voices.js";
import { field, listFields, parseNames, refusal, sentenceOf } from "./phone.js";
import { tiles } from "./story.js";
import { refuse } from "./table.js";

const FORMAT = { format: "isegoria turns", version: 1, units: UNITS }, WORLDS = 8, STORE = "isegoria turns";

export class TurnBook {
  constructor(mode = "lottery", worlds = mode === "lottery" ? WORLDS : 1) {
    Object.assign(this, { mode, worlds, round: 1, ledger: new Ledger({ mode, worlds, single_use: 0 }) });
  }

  /** What `Turns.to_json` writes; and back, refused in a sentence where it is something else. */
  dump() {
    const members = Object.fromEntries([...this.ledger.debts].map(([name, { owed, waited }]) => [name, { owed: owed.map(Number), waited }]));
    return dumpCanonical({ ...FORMAT, mode: this.mode, worlds: this.worlds, round: this.round, members });
  }

  static load(value) {
    const whole = (one, low) => Number.isSafeInteger(one) && one >= low;
    const fits = value && Object.entries(FORMAT).every(([key, one]) => value[key] === one) && ["lottery", "deterministic"].includes(value.mode) && whole(value.worlds, 1) && value.worlds <= (value.mode === "lottery" ? 20 : 1) && whole(value.round, 1) &&
      Object.values(value.members ?? [0]).every((one) => Array.isArray(one?.owed) && one.owed.length === value.worlds && one.owed.every(Number.isSafeInteger) && whole(one.waited, 0));
    if (!fits) refuse("u_state");
    const book = new TurnBook(value.mode, value.worlds);
    book.round = value.round;
    for (const [name, { owed, waited }] of Object.entries(value.members)) book.ledger.debts.set(name, { owed: owed.map(BigInt), waited });
    return book;
  }

  /** Decide a round: who is here, their favourites among what is on offer, and the chance as text. */
  decide(arms, names, sets, seed) {
    const weights = names.map(() => 1), all = arms.map((_, k) => k), own = sets.map((set) => (set.length ? set : all));
    const means = own.map((set) => all.map((k) => (set.includes(k) ? 1 : 0)));
    const { types, voices } = allocateVoices(own, weights, RULES.procedural(prepare({ arms, agents: names, means, weights })), UNITS);
    const freeze = { available: all, arm_units: voices, block: this.worlds, types: types.map((type) => ({ ...type, pseudonyms: type.members.map((i) => names[i]) })) };
    const balls = this.ledger.balls(freeze, makeStream(new Uint8Array(32), encodeText(seed))), places = balls.map((ball) => locateBall(freeze, ball));
    this.ledger.charge({ freeze, arms: places.map(([arm]) => arm), put: new Map() });
    this.round += 1;
    return { option: arms[places[0][0]], name: places[0][1], ball: balls[0], voices };
  }

  /** Who is owed what, most first: {name, owed in decisions, waited}. */
  standing() {
    const rows = [...this.ledger.debts].map(([name, { owed, waited }]) => ({ name, owed: Number(owed[0]) / UNITS, waited }));
    return rows.sort((a, b) => b.owed - a.owed || (a.name < b.name ? -1 : 1));
  }
}

export class TurnsView {
  constructor(root, kept = null) {
    Object.assign(this, { root, book: new TurnBook(), names: [], arms: [], chosen: new Map(), last: null, refused: "" });
    const before = kept ? { state: kept } : recall(STORE);
    try {
      if (before) this.take(before.state);
      if (before?.arms) Object.assign(this, { arms: before.arms, names: before.names, last: before.last });
    } catch (error) {
      this.refused = sentenceOf(error);
    }
    this.show();
  }

  take(value) {
    this.book = TurnBook.load(value);
    this.names = [...this.book.ledger.debts.keys()];
    this.last = null;
  }

  show() {
    if (this.arms.length || this.book.round > 1) keepForReload(STORE, { state: JSON.parse(this.book.dump()), arms: this.arms, names: this.names, last: this.last && { option: this.last.option, name: this.last.name, seed: this.last.seed } });
    const standing = this.book.standing(), value = (id) => this.root.querySelector(`#${id}`).value;
    const attempt = (work) => async (event) => {
      event?.preventDefault?.();
      const typed = ["u-options", "u-names", "u-seed"].map((id) => [id, this.root.querySelector(`#${id}`)?.value ?? ""]);
      this.refused = "";
      try {
        await work(event);
      } catch (error) {
        this.refused = sentenceOf(error);
      }
      this.show();
      if (this.refused) for (const [id, text] of typed) if (this.root.querySelector(`#${id}`)) this.root.querySelector(`#${id}`).value = text;
    };
    const prepared = attempt(() => {
      const [arms, names] = [parseNames(value("u-options"), "p_options"), parseNames(value("u-names"), "p_names")];
      if (String(arms) !== String(this.arms)) this.chosen = new Map();
      Object.assign(this, { arms, names, last: null });
    });
    const decide = attempt(() => {
      if (![...this.chosen.values()].some((set) => set.size)) refuse("u_nobody");
      const seed = value("u-seed").trim() || [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");
      this.last = { ...this.book.decide(this.arms, this.names, this.names.map((name) => [...(this.chosen.get(name) ?? [])].sort((a, b) => a - b)), seed), seed };
      this.chosen = new Map();
    });
    const load = attempt(async (event) => {
      const text = await event.target.files[0].text();
      let state = null;
      try {
        state = JSON.parse(text);
      } catch {
        refuse("u_state");
      }
      this.take(state);
    });
    const mode = attempt((event) => (this.book = new TurnBook(event.target.value)));
    this.root.replaceChildren(el("h2", {}, translate("turns_title")), el("p", {}, translate("turns_lead")),
      refusal(this.refused),
      this.last ? el("p", { class: "said good", role: "status", id: "u-drawn" }, translate("p_by", this.last)) : "", this.last ? el("p", { class: "quiet" }, translate("u_seed_was", this.last)) : "",
      el("h3", {}, translate("u_round", { round: this.book.round })),
      el("form", { onsubmit: prepared }, ...listFields("u", 3, "u_names_label"), el("button", {}, translate("u_next"))),
      ...(this.arms.length ? this.names.map((name) => el("div", { class: "ballot" }, el("h4", {}, name), tiles(this.arms, this.chosen.get(name) ?? this.chosen.set(name, new Set()).get(name), () => {}))) : []),
      this.arms.length ? el("form", { onsubmit: decide }, field("u-seed", "u_seed"), el("button", { class: "strong" }, translate("u_decide"))) : "",
      el("h3", {}, translate("u_owed")), standing.length ? el("table", {}, el("caption", { class: "unseen" }, translate("u_owed")), el("thead", {}, el("tr", {}, [translate("who"), translate("u_decisions"), translate("u_waited")].map((text) => el("th", { scope: "col" }, text)))),
        el("tbody", {}, standing.map((row) => el("tr", {}, el("th", { scope: "row" }, row.name), el("td", {}, formatNumber(row.owed, 1)), el("td", {}, String(row.waited)))))) : el("p", { class: "quiet" }, translate("u_nothing")),
      this.book.round === 1 ? el("p", { class: "field" }, el("label", { for: "u-mode" }, translate("u_mode")), el("select", { id: "u-mode", onchange: mode }, ["lottery", "deterministic"].map((one) => el("option", { value: one, selected: one === this.book.mode }, translate(`u_${one}`))))) : "",
      el("h3", {}, translate("u_keep")), el("div", { class: "row-of" }, el("button", { type: "button", onclick: () => save("turns.json", "application/json", `${this.book.dump()}\n`) }, translate("u_save")), el("a", { class: "button", id: "u-link", href: this.link() ?? "#turns", hidden: this.link() === null }, translate("u_link")),
        el("label", {}, translate("u_load"), el("input", { type: "file", accept: ".json", onchange: load }))));
    this.root.querySelector("#u-options").value = this.arms.join("\n");
    this.root.querySelector("#u-names").value = this.names.join("\n");
  }

  link() {
    const address = `${location.href.replace(/#.*/, "")}#u=${pack(JSON.parse(this.book.dump()))}`;
    return address.length > MAX_LINK ? null : address;
  }
}
