// A lottery of one's own: a slider for each arm, and at once who is heard, who is neglected, and where each voice went.
import { $, el, number, short } from "./dom.js";
import { keep } from "./address.js";
import { post } from "./ask.js";
import { flowPicture, flowTable } from "./flow.js";
import { frame } from "./picture.js";
import { say } from "./words.js";

const MOST_SLIDERS = 24;

export class Lottery {
  constructor(table, arms, changed) {
    Object.assign(this, { table, arms, changed, policy: arms.map(() => 1 / arms.length), busy: false, waiting: false });
  }

  set(policy) {
    this.policy = [...policy];
    const order = policy.map((p, k) => k).sort((a, b) => policy[b] - policy[a] || a - b).slice(0, MOST_SLIDERS).sort((a, b) => a - b);
    this.sliders = order.map((k) => this.slider(k));
    $("sliders").replaceChildren(...this.sliders.map((one) => one.row),
      ...(order.length < this.arms.length ? [el("p", { class: "note" }, say("more_arms", { count: this.arms.length - order.length }))] : []));
    return this.judge();
  }

  slider(k) {
    const id = `arm-${k}`;
    const output = el("output", { for: id }, number(this.policy[k]));
    const input = el("input", { type: "range", id, min: 0, max: 1000, step: 1, value: Math.round(this.policy[k] * 1000), oninput: () => this.moved() });
    return { k, input, output, row: el("div", { class: "slider" }, el("label", { for: id, title: this.arms[k] }, short(this.arms[k], 28)), input, output) };
  }

  moved() {
    const weights = this.arms.map(() => 0);
    for (const { k, input } of this.sliders) weights[k] = Number(input.value);
    const sum = weights.reduce((a, b) => a + b, 0);
    if (!sum) return;
    this.policy = weights.map((weight) => weight / sum);
    for (const { k, output } of this.sliders) output.textContent = number(this.policy[k]);
    this.judge();
  }

  // One question at a time; the newest lottery is asked last, so that the answer shown is always the last one's.
  async judge() {
    this.waiting = this.busy;
    if (this.busy) return;
    this.busy = true;
    keep("p", this.policy.map((p) => Number(p.toFixed(6))).join("_"));
    $("verdicts").replaceChildren();
    try {
      this.show(await post(`/api/tables/${this.table}/lottery`, { policy: this.policy }));
    } finally {
      this.busy = false;
    }
    if (this.waiting) await this.judge();
  }

  show(found) {
    this.found = found;
    $("scores").replaceChildren(...Object.entries(found.scores).map(([name, value]) =>
      el("div", { class: "score" }, el("span", {}, say(`score_${name}`)), el("meter", { min: 0, max: 1, value, "aria-label": say(`score_${name}`) }), el("strong", {}, number(value)))));
    $("fair").textContent = found.sentences.join(" ");
    $("fair").className = found.fair ? "verdict good" : "verdict bad";
    $("voices").replaceChildren(...found.voices.map((sentence) => el("li", {}, sentence)));
    if (this.redraw && this.frameFor === document.documentElement.lang) this.redraw();
    else this.redraw = frame($("flow"), "voices", (width) => flowPicture(this.found.flow, width), () => flowTable(this.found.flow), say("flow_caption"));
    this.frameFor = document.documentElement.lang;
    $("judged").dataset.times = Number($("judged").dataset.times ?? 0) + 1;
    this.changed(found);
  }

  async core() {
    $("verdicts").replaceChildren(el("li", {}, say("core_asking")));
    const found = await post(`/api/tables/${this.table}/core`, { policy: this.policy });
    $("verdicts").replaceChildren(...Object.values(found).map((verdict) =>
      el("li", { class: verdict.stable === false ? "bad" : verdict.stable ? "good" : "" }, verdict.sentence, " ", el("small", {}, verdict.proof ?? ""))));
  }
}
