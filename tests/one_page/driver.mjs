// The page's modules under Node: a request on each line of the input, its answer on a line of the output.
import fs from "node:fs";
import readline from "node:readline";

const load = new Function(`${fs.readFileSync(process.argv[2], "utf8")}; return load;`)();
const page = (name) => load(`/static/page/${name}.js`);
const { RULES, judge, prepare } = page("rules"), { allocateVoices, certifyProduct, certifyVoices, roundRow, unitsPerVoice } = page("voices");
const { readTable, writeCsv, writeJson, TableError } = page("table"), { RecordWriter, merkleRoot } = page("record"), { TurnBook } = page("turns"), chat = page("chat");
const { toHex, encodeText, sha256Of, encodeUint32 } = load("/verify/bytes.js"), { verify } = load("/verify/verify.js");

/** Bytes that follow from a seed, for records that can be made again. */
function seeded(seed) {
  let count = 0;
  return (size) => {
    const parts = [];
    while (parts.length * 32 < size) parts.push(...sha256Of(encodeText(seed), encodeUint32(count++)));
    return Uint8Array.from(parts.slice(0, size));
  };
}

const named = ({ means, weights }) => prepare({ means, weights, arms: means[0].map((_, k) => `a${k}`), agents: means.map((_, i) => `m${i}`) });

const ANSWERS = {
  /** Policies with certificates in whole numbers. */
  solve({ means, weights, rules }) {
    const table = named({ means, weights }), units = unitsPerVoice(table.total), answers = {};
    for (const rule of rules) {
      const policy = RULES[rule](table);
      const gap = rule === "nash" ? certifyProduct(means, weights, policy) : rule === "procedural" && units ? certifyVoices(allocateVoices(table.sets, weights, policy, units).types, policy.length, units) : null;
      answers[rule] = { policy, gap };
    }
    return answers;
  },
  judge: ({ means, weights, policy }) => {
    const found = judge(named({ means, weights }), policy);
    return { ratios: found.flow.ratios, score: found.score, unheard: found.unheard, neglected: found.neglected };
  },
  round: ({ row, total }) => roundRow(row, total),
  root: ({ leaves }) => toHex(merkleRoot(leaves.map(encodeText))),
  read({ text }) {
    try {
      const table = readTable(text);
      return { ...table, csv: writeCsv(table), json: writeJson(table) };
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      return { refused: error.id, values: error.values };
    }
  },
  async record({ seed, title, arms, names, source, block, rounds }) {
    const writer = new RecordWriter({ title, arms, names, source, block, bytes: seeded(seed) }), drawn = [];
    for (const { answers, at, event, thrown } of rounds) {
      writer.freeze(answers, at, event);
      drawn.push(writer.draw(thrown).drawn);
    }
    const data = writer.bytes(), found = await verify(data, { now: 2e9 });
    return { text: new TextDecoder().decode(data), names: writer.namesFile(), drawn, verdict: found.verdict, sentence: found.sentence };
  },
  turns({ state, mode, rounds }) {
    const book = state ? TurnBook.load(state) : new TurnBook(mode), decided = rounds.map(({ arms, names, sets, seed }) => book.decide(arms, names, sets, seed));
    return { decided, state: book.dump() };
  },
  chat({ question, answers, reveal }) {
    const numbers = answers.map((_, n) => sha256Of(encodeText(`number ${n}`)).subarray(0, 16));
    const codes = answers.map((set, n) => chat.answerCode(question, n, set, numbers[n]));
    const text = `[10:01] Ann: hello ${codes.join(" ok\n[10:02] Ben: ")}`, first = chat.readChat(question, text), closing = chat.closeCode(question, first.answers);
    const whole = `${text}\n${closing}\n${reveal.map((n) => chat.revealCode(question, n, numbers[n])).join("\n")}`, found = chat.readChat(question, whole);
    return { text: whole, count: found.answers.length, fits: found.fits, missing: found.missing, drawn: found.missing.length ? null : chat.drawChat(question, found), length: Math.max(...codes.map((one) => one.length)) };
  },
  "chat-read": ({ question, text }) => {
    const { answers, fits, missing } = chat.readChat(question, text);
    return { count: answers.length, fits, missing };
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { ask, ...given } = JSON.parse(line);
  try {
    console.log(JSON.stringify(await ANSWERS[ask](given)));
  } catch (error) {
    console.log(JSON.stringify({ crash: String(error.stack) }));
  }
}
