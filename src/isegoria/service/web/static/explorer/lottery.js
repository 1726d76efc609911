// A lottery of one's own: a slider for each arm, and at once who is heard, who is neglected, and where each voice went.
import { $, el, formatNumber, shorten } from "./dom.js";
import { setState } from "./url_state.js";
import { post } from "./api.js";
import { drawFlow, buildFlowTable } from "./flow.js";
import { showFigure } from "./figure.js";
import { translate } from "./translations.js";

const MAX_SLIDERS = 24;

export class Lottery {
  constructor(table, arms, onChange) {
    Object.assign(this, { table, arms, changed: onChange, policy: arms.map(() => 1 / arms.length), busy: false, waiting: false });
  }

  set(policy) {
    this.policy = [...policy];
    const order = policy.map((p, k) => k).sort((a, b) => policy[b] - policy[a] || a - b).slice(0, MAX_SLIDERS).sort((a, b) => a - b);
    this.sliders = order.map((k) => this.slider(k));
    $("sliders").replaceChildren(...this.sliders.map((one) => one.row),
      ...(order.length < this.arms.length ? [el("p", { class: "note" }, translate("more_arms", { count: this.arms.length - order.length }))] : []));
    return this.evaluate();
  }

  slider(k) {
    const id = `arm-${k}`;
    const output = el("output", { for: id }, formatNumber(this.policy[k]));
    const input = el("input", { type: "range", id, min: 0, max: 1000, step: 1, value: Math.round(this.policy[k] * 1000), oninput: () => this.handleSliderInput() });
    return { k, input, output, row: el("div", { class: "slider" }, el("label", { for: id, title: this.arms[k] }, shorten(this.arms[k], 28)), input, output) };
  }

  handleSliderInput() {
    const weights = this.arms.map(() => 0);
    for (const { k, input } of this.sliders) weights[k] = Number(input.value);
    const sum = weights.reduce((a, b) => a + b, 0);
    if (!sum) return;
    this.policy = weights.map((weight) => weight / sum);
    for (const { k, output } of this.sliders) output.textContent = formatNumber(this.policy[k]);
    this.evaluate();
  }

  // One question at a time; the newest lottery is asked last, so that the answer shown is always the last one's.
  async evaluate() {
    this.waiting = this.busy;
    if (this.busy) return;
    this.busy = true;
    setState("p", this.policy.map((p) => Number(p.toFixed(6))).join("_"));
    $("verdicts").replaceChildren();
    try {
      this.show(await post(`/api/tables/${this.table}/lottery`, { policy: this.policy }));
    } finally {
      this.busy = false;
    }
    if (this.waiting) await this.evaluate();
  }

  show(found) {
    this.found = found;
    $("scores").replaceChildren(...Object.entries(found.scores).map(([name, value]) =>
      el("div", { class: "score" }, el("span", {}, translate(`score_${name}`)), el("meter", { min: 0, max: 1, value, "aria-label": translate(`score_${name}`) }), el("strong", {}, formatNumber(value)))));
    $("fair").textContent = found.sentences.join(" ");
    $("fair").className = found.fair ? "verdict good" : "verdict bad";
    $("voices").replaceChildren(...found.voices.map((sentence) => el("li", {}, sentence)));
    if (this.redraw && this.frameFor === document.documentElement.lang) this.redraw();
    else this.redraw = showFigure($("flow"), "voices", (width) => drawFlow(this.found.flow, width), () => buildFlowTable(this.found.flow), translate("flow_caption"));
    this.frameFor = document.documentElement.lang;
    $("judged").dataset.times = Number($("judged").dataset.times ?? 0) + 1;
    this.changed(found);
  }

  async checkCore() {
    $("verdicts").replaceChildren(el("li", {}, translate("core_asking")));
    const found = await post(`/api/tables/${this.table}/core`, { policy: this.policy });
    $("verdicts").replaceChildren(...Object.values(found).map((verdict) =>
      el("li", { class: verdict.stable === false ? "bad" : verdict.stable ? "good" : "" }, verdict.sentence, " ", el("small", {}, verdict.proof ?? ""))));
  }
}
