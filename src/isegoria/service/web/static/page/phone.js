// One phone goes round: everyone taps behind a curtain, chance is the page's own or dice, and the record is saved and checked here.
import { el, percent, shorten } from "../explorer/dom.js";
import { translate } from "../explorer/translations.js";
import { renderDrum, DRUM_TEXTS } from "/verify/drum.js";
import { verify } from "/verify/verify.js";
import { DICE_FORM, RecordWriter, parseThrow } from "./record.js";
import { keepForReload, recall, save } from "./keep.js";
import { tiles } from "./story.js";
import { TableError, refuse } from "./table.js";

const STORE = "isegoria phone";

/** Lines or commas as names: each once, none empty. */
export function parseNames(text, few) {
  const names = text.split(/[\n,;]+/).map((one) => one.trim()).filter(Boolean), twice = names.find((one, i) => names.indexOf(one) !== i);
  if (twice !== undefined) refuse("p_twice", twice);
  if (names.length < (few === "p_options" ? 2 : 1)) refuse(few);
  return names;
}

export const sentenceOf = (error) => {
  if (!(error instanceof TableError)) throw error;
  return translate(error.id, Object.fromEntries(error.values.entries()));
};

/** A field with its label; `extra` are attributes of the input. */
export const field = (id, word, extra = {}, tag = "input") => el("p", { class: "field" }, el("label", { for: id }, translate(word)), el(tag, { id, autocomplete: "off", ...extra }));
const list = (id, word, hint, rows) => field(id, word, { rows, placeholder: translate(hint) }, "textarea");

/** The fields for options and names, as every view asks for them. */
export const listFields = (prefix, rows, names = "p_names_label") => [list(`${prefix}-options`, "p_options_label", "options_hint", rows), list(`${prefix}-names`, names, "names_hint", rows)];

/** A refusal above a form, brought into view once it stands in the page. */
export function refusal(text) {
  if (!text) return "";
  const node = el("p", { class: "said bad", role: "alert" }, text);
  setTimeout(() => node.scrollIntoView({ block: "nearest" }));
  return node;
}

export class Phone {
  constructor(place) {
    this.place = place;
    addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault());
    try {
      const { answers, ...typed } = recall(STORE);
      Object.assign(this, typed, { answers: new Map(answers) }).round(); // the page was reloaded on its way round
    } catch {
      this.begin();
    }
  }


  view(title, ...parts) {
    this.place.replaceChildren(el("h2", { tabindex: "-1" }, title), ...parts);
    if (this.started) this.place.firstElementChild.focus();
    this.started = true;
  }

  begin(refused = "", kept = {}) {
    this.writer = null;
    this.unsaved = false;
    keepForReload(STORE, null);
    const value = (id) => this.place.querySelector(`#${id}`).value;
    const go = (event) => {
      event.preventDefault();
      const typed = { options: value("p-options"), names: value("p-names"), title: value("p-title"), block: value("p-block"), source: value("p-source") };
      try {
        Object.assign(this, { arms: parseNames(typed.options, "p_options"), names: parseNames(typed.names, "p_names"), title: typed.title.trim(), block: Number(typed.block), source: typed.source, answers: new Map() });
      } catch (error) {
        return this.begin(sentenceOf(error), typed);
      }
      this.round();
    };
    this.view(translate("phone_title"), el("p", {}, translate("phone_lead")), refusal(refused), el("form", { onsubmit: go },
      field("p-title", "p_title", { value: kept.title ?? "", maxlength: 80 }), ...listFields("p", 4),
      el("div", { class: "row-of" }, el("label", {}, translate("p_block"), el("select", { id: "p-block" }, Array.from({ length: 20 }, (_, i) => el("option", { value: i + 1 }, i + 1)))),
        el("label", {}, translate("p_chance"), el("select", { id: "p-source" }, el("option", { value: "rehearsal" }, translate("p_page")), el("option", { value: "dice" }, translate("p_dice"))))),
      el("p", {}, el("button", { class: "strong" }, translate("p_start")))));
    for (const [id, text] of [["p-options", kept.options], ["p-names", kept.names], ["p-block", kept.block], ["p-source", kept.source]]) if (text) this.place.querySelector(`#${id}`).value = text;
  }

  typed() {
    return { options: this.arms.join("\n"), names: this.names.join("\n"), title: this.title, block: this.block, source: this.source };
  }

  /** The names: who has answered has a tick; whoever holds the phone taps their own. */
  round() {
    const { arms, names, title, block, source, answers } = this;
    if (!this.writer) keepForReload(STORE, { arms, names, title, block, source, answers: [...answers] });
    const left = this.names.length - this.answers.size;
    this.view(this.title || translate("phone_title"), el("p", { role: "status" }, left ? translate("p_pass", { left, of: this.names.length }) : translate("p_all")),
      el("div", { class: "tiles" }, this.names.map((name, n) => el("button", { type: "button", class: this.answers.has(n) ? "name done" : "name", onclick: () => this.answer(n) }, this.answers.has(n) ? `✓ ${name}` : name))),
      this.answers.size ? el("p", {}, el("button", { type: "button", class: left ? "" : "strong", onclick: () => this.fix() }, left ? translate("p_close_early", { left }) : translate("p_close"))) : "",
      el("p", {}, el("button", { type: "button", onclick: () => this.begin("", this.typed()) }, translate("p_back"))));
  }

  /** Behind the curtain: what one person likes is shown to nobody else, not even to the same person later. */
  answer(n) {
    const chosen = new Set(), done = el("button", { type: "button", class: "strong", disabled: true }, translate("p_done"));
    done.onclick = () => {
      this.answers.set(n, [...chosen]);
      this.round();
    };
    this.view(this.names[n], el("p", {}, translate("p_what")), tiles(this.arms, chosen, () => (done.disabled = !chosen.size)), el("p", {}, done, " ", el("button", { type: "button", onclick: () => this.round() }, translate("p_cancel"))));
  }

  /** Answers are closed: the record's first lines are written, and nothing can be changed any more. */
  fix(refused = "") {
    if (!this.writer) {
      this.writer = new RecordWriter({ title: this.title || translate("phone_title"), arms: this.arms, names: this.names, source: this.source, block: this.block });
    }
    if (!this.writer.open) this.writer.freeze(this.names.map((_, n) => this.answers.get(n) ?? []), Math.floor(Date.now() / 1000), this.title || translate("phone_title"));
    const chances = this.arms.map((name, k) => [name, this.writer.policy[k]]).sort((a, b) => b[1] - a[1]);
    const throwForm = (event) => {
      event.preventDefault();
      const thrown = parseThrow(this.place.querySelector("#p-throw").value, DICE_FORM);
      if (thrown) this.draw(thrown);
      else this.fix(translate("p_throw_wrong", DICE_FORM));
    };
    this.view(translate("p_closed"), el("p", {}, translate("p_chances")), el("ul", {}, chances.map(([name, share]) => el("li", {}, `${name}: ${percent(share)}`))),
      refusal(refused),
      this.source === "dice" ? el("form", { onsubmit: throwForm }, field("p-throw", "p_throw", { inputmode: "numeric", maxlength: 40 }), el("button", { class: "strong" }, translate("p_draw")))
        : el("p", {}, el("button", { type: "button", class: "strong", onclick: () => this.draw() }, translate("p_draw"))));
  }

  async draw(thrown = null) {
    const { freeze, balls, drawn } = this.writer.draw(thrown), data = this.writer.bytes();
    keepForReload(STORE, null);
    this.unsaved = true;
    const found = await verify(data, {}), file = `${(this.title || "draw").replaceAll(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}.record`;
    const round = { round: freeze.round, balls, arms: drawn.map((one) => one.arm), voices: drawn.map((one) => one.who) };
    const names = new Map(this.writer.people.map((one) => [this.writer.pseudonym(one, freeze.round).slice(0, 8), one.name]));
    const picture = el("div", { id: "wheel", class: "wheel turning" }, renderDrum(freeze, round, this.arms, undefined, {
      ...DRUM_TEXTS, first: 1, mark: (arm) => shorten(this.arms[arm], 9), title: () => translate("wheel_title", { option: this.arms[drawn[0].arm] }), round: (one) => translate("wheel_round", { round: one }), members: (count) => translate("wheel_members", { count }),
      shares: [translate("wheel_in"), translate("option"), `${translate("share")} #`], drawn: [translate("wheel_out"), `${translate("turn")} #`, translate("option"), translate("whose"), `${translate("ball")} #`],
    }));
    picture.querySelectorAll("td > span").forEach((one, arm) => (one.lastChild.textContent = this.arms[arm])); // named in full
    for (const cell of picture.querySelectorAll("td")) if (names.has(cell.textContent.slice(0, 8))) cell.textContent = names.get(cell.textContent.slice(0, 8));
    const lines = drawn.map(({ arm, name }, i) => el("li", {}, el("strong", {}, this.arms[arm]), ` – ${translate("p_voice", { name })}`, drawn.length > 1 ? ` (${translate("turn")} ${i + 1})` : ""));
    const verdict = found.exit_code === 3 ? translate("p_trust") : found.sentence;
    this.view(drawn.length > 1 ? translate("p_drawn") : this.arms[drawn[0].arm], picture.querySelector("svg"), drawn.length > 1 ? el("ol", {}, lines) : el("p", { class: "said good", role: "status" }, translate("p_by", { option: this.arms[drawn[0].arm], name: drawn[0].name })),
      el("p", { class: "quiet", "data-verdict": found.verdict }, verdict), el("div", { class: "row-of" },
        el("button", { type: "button", class: "strong", onclick: () => ((this.unsaved = false), save(file, "application/jsonl", data)) }, translate("p_save")),
        el("button", { type: "button", onclick: () => save(`${file}.names`, "application/json", this.writer.namesFile()) }, translate("p_save_names")),
        el("button", { type: "button", onclick: () => this.again() }, translate("p_again")),
        el("button", { type: "button", onclick: () => this.begin("", this.typed()) }, translate("p_new"))),
      el("details", {}, el("summary", {}, translate("p_details")), picture));
  }

  /** One more round on the same record: everyone answers again. */
  again() {
    this.answers = new Map();
    this.round();
  }
}
