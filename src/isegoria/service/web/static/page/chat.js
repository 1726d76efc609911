// A link in the chat: answers come back as codes to paste, and the members' own numbers are the chance. Whoever has the chat
// can compute the result again; there is no server and no signature: a number can be shown by nobody but who committed to it.
import { encodeText, encodeUint32, toHex, concatBytes, sha256Of } from "/verify/bytes.js";
import { drawBalls, locateBall, makeStream } from "/verify/draw.js";
import { dumpCanonical } from "/verify/schema.js";
import { el } from "../explorer/dom.js";
import { translate } from "../explorer/translations.js";
import { MAX_LINK, fromBase64, pack, toBase64, unpack } from "./keep.js";
import { RULES, prepare } from "./rules.js";
import { allocateVoices, unitsPerVoice } from "./voices.js";
import { field, listFields, parseNames, refusal, sentenceOf } from "./phone.js";
import { listNames, tiles } from "./story.js";

const CODE = /\bISEGORIA-([ACR])-([\w-]{8})-(\d{1,3})-([\w-]+)(?![\w-])/g, NUMBER_BYTES = 16;

export const isQuestion = (value) => typeof value?.title === "string" && [value.options, value.names].every((list) => Array.isArray(list) && list.length && list.every((one) => typeof one === "string" && one)) && typeof value.salt === "string";
const questionHash = (question) => sha256Of(encodeText(`isegoria chat 1\0${dumpCanonical(question)}`));
const markOf = (question) => toBase64(questionHash(question).subarray(0, 6));

/** Favourites as bits, the first option in the lowest bit of the first byte. */
const toBits = (set, count) => {
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (const k of set) bits[k >> 3] |= 1 << (k & 7);
  return bits;
};
const commit = (question, n, bits, number) => sha256Of(encodeText("isegoria chat commit 1\0"), questionHash(question), encodeUint32(n), bits, number);
const code = (kind, question, n, bytes) => `ISEGORIA-${kind}-${markOf(question)}-${n}-${toBase64(bytes)}`;

export function answerCode(question, n, set, number) {
  const bits = toBits(set, question.options.length);
  return code("A", question, n, concatBytes(bits, commit(question, n, bits, number)));
}
export const revealCode = (question, n, number) => code("R", question, n, number);
export const closeCode = (question, answers) => code("C", question, answers.length, closingOf(question, answers));

/** The hash of everything that the draw will follow from but the numbers: the question and all answers, by member. */
const closingOf = (question, answers) => sha256Of(encodeText("isegoria chat close 1\0"), questionHash(question), ...answers.flatMap(({ n, bits, hash }) => [encodeUint32(n), bits, hash]));

/** What a chat says of a question: answers before the closing (a member's last one), the closing, and the numbers. */
export function readChat(question, text) {
  const mark = markOf(question), size = Math.ceil(question.options.length / 8), answers = new Map(), numbers = new Map();
  let closing = null;
  for (const [, kind, own, index, said] of text.matchAll(CODE)) {
    let bytes;
    try {
      bytes = fromBase64(said);
    } catch {
      continue;
    }
    const n = Number(index);
    if (own !== mark || (kind !== "C" && n >= question.names.length)) continue;
    if (kind === "A" && !closing && bytes.length === size + 32) {
      const bits = bytes.subarray(0, size), set = question.options.flatMap((_, k) => ((bits[k >> 3] >> (k & 7)) & 1 ? [k] : []));
      if (set.length) answers.set(n, { n, bits, hash: bytes.subarray(size), set });
    }
    if (kind === "C" && !closing) closing = bytes;
    if (kind === "R" && bytes.length === NUMBER_BYTES) numbers.set(n, bytes);
  }
  const sorted = [...answers.values()].sort((a, b) => a.n - b.n);
  const right = (one) => numbers.has(one.n) && toHex(commit(question, one.n, one.bits, numbers.get(one.n))) === toHex(one.hash);
  const fits = closing !== null && toHex(closingOf(question, sorted)) === toHex(closing);
  return { answers: sorted, closing, fits, numbers, missing: sorted.filter((one) => !right(one)).map((one) => one.n) };
}

/** The draw of a chat where nothing is missing: one ball, from the closing and all numbers. */
export function drawChat(question, { answers, closing, numbers }) {
  const sets = answers.map((one) => one.set), weights = sets.map(() => 1), { options: arms, names } = question;
  const means = sets.map((set) => arms.map((_, k) => (set.includes(k) ? 1 : 0)));
  const policy = RULES.procedural(prepare({ arms, agents: names, means, weights })), units = unitsPerVoice(sets.length);
  const { types, voices } = allocateVoices(sets, weights, policy, units);
  const freeze = { block: 1, arm_units: voices, types: types.map((one) => ({ ...one, pseudonyms: one.members })) };
  const source = concatBytes(...answers.flatMap(({ n }) => [encodeUint32(n), numbers.get(n)])), [ball] = drawBalls(freeze, makeStream(closing, source));
  const [arm, who] = locateBall(freeze, ball);
  return { option: arms[arm], name: names[answers[who].n], policy, ball };
}

const stored = (name, value) => {
  try {
    if (value) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

export class Chat {
  constructor(place, question = null) {
    this.place = place;
    if (question) this.open(question);
    else this.begin();
  }

  begin(refused = "", kept = {}) {
    const value = (id) => this.place.querySelector(`#${id}`).value;
    const go = (event) => {
      event.preventDefault();
      const typed = { title: value("c-title"), options: value("c-options"), names: value("c-names") };
      try {
        const question = { title: typed.title.trim(), options: parseNames(typed.options, "p_options"), names: parseNames(typed.names, "p_names"), salt: toBase64(crypto.getRandomValues(new Uint8Array(9))) };
        if (this.linkOf(question).length > MAX_LINK) return this.begin(translate("link_long"), typed);
        this.open(question);
      } catch (error) {
        this.begin(sentenceOf(error), typed);
      }
    };
    this.place.replaceChildren(el("h2", {}, translate("chat_title")), el("p", {}, translate("chat_lead")), el("p", { class: "quiet" }, translate("chat_limits")),
      location.protocol.startsWith("http") ? "" : el("p", { class: "said bad" }, translate("chat_hosted")), refusal(refused),
      el("form", { onsubmit: go }, field("c-title", "p_title", { maxlength: 80, value: kept.title ?? "" }), ...listFields("c", 4), el("button", { class: "strong" }, translate("chat_make"))));
    for (const [id, text] of [["c-options", kept.options], ["c-names", kept.names]]) if (text) this.place.querySelector(`#${id}`).value = text;
  }

  linkOf(question) {
    return `${location.href.replace(/#.*/, "")}#c=${pack(question)}`;
  }

  /** The question as a member and as the host see it: answer, paste the chat, and what follows from it. */
  open(question) {
    this.question = question;
    const { options, names, title } = question, chosen = new Set(), mine = el("select", { id: "c-me" }, el("option", { value: "" }, translate("chat_who")), names.map((name, n) => el("option", { value: n }, name)));
    const out = el("div", { role: "status" }), text = el("textarea", { id: "c-text", rows: 6, oninput: () => this.read() });
    const give = el("button", { type: "button", class: "strong", disabled: true }, translate("chat_answer")), ready = () => (give.disabled = !chosen.size || mine.value === "");
    mine.onchange = ready;
    give.onclick = () => {
      const n = Number(mine.value), name = `isegoria chat ${markOf(question)} ${n}`;
      const number = stored(name, stored(name) ?? toBase64(crypto.getRandomValues(new Uint8Array(NUMBER_BYTES)))) ?? null;
      if (number === null) return out.replaceChildren(el("p", { class: "said bad" }, translate("chat_forgets")));
      this.hand(out, answerCode(question, n, chosen, fromBase64(number)), "chat_send_answer");
    };
    this.out = el("div", { role: "status", id: "c-out" });
    this.place.replaceChildren(el("h2", {}, title || translate("chat_title")), el("p", {}, translate("chat_share")), el("p", {}, el("a", { href: this.linkOf(question), id: "c-link" }, translate("the_link")), " ", this.copier(this.linkOf(question))),
      el("h3", {}, translate("chat_yours")), el("p", { class: "field" }, el("label", { for: "c-me" }, translate("chat_me")), mine), tiles(options, chosen, ready), el("p", {}, give), out,
      el("h3", {}, translate("chat_paste")), el("p", { class: "field" }, el("label", { for: "c-text" }, translate("chat_text")), text), this.out, el("p", { class: "quiet" }, translate("chat_limits")));
  }

  copier(text) {
    const button = el("button", { type: "button" }, translate("copy"));
    button.onclick = async () => {
      const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
      button.textContent = translate(done ? "copied" : "copy_by_hand");
    };
    return button;
  }

  hand(place, text, word) {
    place.replaceChildren(el("p", {}, translate(word)), el("p", { class: "code", tabindex: 0 }, text), this.copier(text));
  }

  /** What the pasted chat says: who answered, the closing, the numbers, and the draw. */
  read() {
    const { question } = this, found = readChat(question, this.place.querySelector("#c-text").value), { names } = question;
    const listed = (some) => listNames(some.map((n) => names[n]), 40), parts = [], handed = el("div");
    parts.push(el("p", {}, translate("chat_found", { count: found.answers.length, of: names.length })));
    if (!found.closing && found.answers.length) {
      const silent = names.flatMap((_, n) => (found.answers.some((one) => one.n === n) ? [] : [n]));
      if (silent.length) parts.push(el("p", {}, translate("chat_silent", { names: listed(silent) })));
      parts.push(el("button", { type: "button", onclick: () => this.hand(handed, closeCode(question, found.answers), "chat_send_close") }, translate("chat_close")));
    } else if (found.closing && !found.fits) parts.push(el("p", { class: "said bad" }, translate("chat_unfit")));
    else if (found.closing) {
      const own = found.answers.find(({ n }) => stored(`isegoria chat ${markOf(question)} ${n}`) && found.missing.includes(n));
      if (own) parts.push(el("button", { type: "button", class: "strong", onclick: () => this.hand(handed, revealCode(question, own.n, fromBase64(stored(`isegoria chat ${markOf(question)} ${own.n}`))), "chat_send_number") }, translate("chat_reveal", { name: names[own.n] })));
      if (found.missing.length) {
        parts.push(el("p", {}, translate("chat_missing", { names: listed(found.missing) })), el("button", { type: "button", onclick: () => this.open({ ...question, names: names.filter((_, n) => !found.missing.includes(n)), salt: toBase64(crypto.getRandomValues(new Uint8Array(9))) }) }, translate("chat_void")));
      } else {
        const { option, name } = drawChat(question, found);
        parts.push(el("p", { class: "said good", id: "c-drawn" }, translate("p_by", { option, name })), el("p", { class: "quiet" }, translate("chat_again")));
      }
    }
    this.out.replaceChildren(...parts, handed);
  }
}
