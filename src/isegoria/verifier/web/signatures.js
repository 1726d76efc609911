// Signatures: Ed25519 as strictly as the record asks, and the beacon of drand.

import { encodeText, encodeUint64, encodeUint32, toHex, concatBytes, numberOf, sha256Of, fromHex } from "./bytes.js";
import { Point, sha512 } from "./vendor/noble-ed25519.js";

const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const decodeLittleEndian = (bytes) => numberOf(Uint8Array.from(bytes).reverse());
const keys = new Map();
const [SOON, MOST] = [3, 100]; // a table pays from a key's third signature on, and takes 100 kB
let tables = 0;

/** The point of 32 bytes; null if there is none, if they are not its only form, or if eight times it is zero. */
function decodePoint(bytes) {
  try {
    const found = Point.fromBytes(bytes, false);
    return found.isSmallOrder() ? null : found;
  } catch {
    return null;
  }
}

/** A point A as 64 rows of multiples, row i with 1 … 8 times 16^i·A. */
function precomputeMultiples(a) {
  const rows = [];
  for (let next = a; rows.length < 64; next = rows.at(-1)[7].double()) {
    rows.push([next]);
    for (let n = 1; n < 8; n++) rows.at(-1).push(rows.at(-1)[n - 1].add(next));
  }
  return rows;
}

/** A number below ORDER times the point of a table, by digits from -7 to 8. */
function multiplyByTable(number, rows) {
  let [total, rest] = [Point.ZERO, number];
  for (const row of rows) {
    const digit = Number(rest & 15n);
    rest = (rest >> 4n) + (digit > 8 ? 1n : 0n);
    if (digit > 8) total = total.subtract(row[15 - digit]);
    else if (digit > 0) total = total.add(row[digit - 1]);
  }
  return total;
}

/** A number below ORDER times the point of a key: few keys sign most lines of a record, and have tables. */
function multiplyPoint(number, own) {
  own.uses += 1;
  if (own.uses === SOON && tables < MOST) {
    own.rows = precomputeMultiples(own.a);
    tables += 1;
  }
  return own.rows ? multiplyByTable(number, own.rows) : own.a.multiply(number, false);
}

/** Whether a key signed a message, 8·S·B = 8·R + 8·k·A: all in their ranges, neither key nor R of small order. */
export function isValidSignature(key, signature, message) {
  if (!keys.has(key)) keys.set(key, { a: decodePoint(fromHex(key)), uses: 0, rows: null });
  const [own, bytes] = [keys.get(key), fromHex(signature)];
  const [r, s] = [bytes.subarray(0, 32), decodeLittleEndian(bytes.subarray(32))];
  const said = own.a && s < GROUP_ORDER ? decodePoint(r) : null;
  if (!said) return false;
  const k = decodeLittleEndian(sha512(concatBytes(r, fromHex(key), message))) % GROUP_ORDER;
  return multiplyPoint(k, own).add(said).subtract(Point.BASE.multiply(s, false)).isSmallOrder();
}

/** Which of {key, round, said} a beacon did not say; asked of a random combination first, then one by one. */
export async function findInvalidBeacons(asked) {
  const { bls12_381: curve } = await import("./vendor/noble-bls12-381.js");
  const { G1, G2, fields } = curve;
  const DST = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
  const known = new Map();
  const decodePoint = (group, digits) => {
    const name = `${group === G1} ${digits}`;
    if (!known.has(name)) known.set(name, decompressPoint(group.Point, digits));
    return known.get(name);
  };

  const hold = (some) => {
    const seed = sha256Of(...some.map(({ key, round, said }) => encodeText(`${key} ${round} ${toHex(said)}\n`)));
    let left = G1.Point.ZERO;
    const right = new Map();
    for (const [i, { key, round, said }] of some.entries()) {
      const spoken = decodePoint(G1, toHex(said));
      if (!spoken || spoken.is0() || !decodePoint(G2, key) || decodePoint(G2, key).is0()) return false;
      const factor = numberOf(sha256Of(seed, encodeUint32(i)).subarray(0, 16));
      const message = G1.Point.fromAffine(G1.hashToCurve(sha256Of(encodeUint64(round)), { DST }).toAffine());
      left = left.add(spoken.multiplyUnsafe(factor));
      right.set(key, (right.get(key) ?? G1.Point.ZERO).add(message.multiplyUnsafe(factor)));
    }
    const pairs = [...right].map(([key, total]) => ({ g1: total.negate(), g2: decodePoint(G2, key) }));
    if (left.is0() || pairs.some(({ g1 }) => g1.is0())) return false;
    const product = curve.pairingBatch([{ g1: left, g2: G2.Point.BASE }, ...pairs]);
    return fields.Fp12.eql(product, fields.Fp12.ONE);
  };
  if (hold(asked)) return [];
  return [...asked.keys()].filter((i) => !hold([asked[i]]));
}

/** A point of the right subgroup, or null. */
function decompressPoint(Group, digits) {
  try {
    const found = Group.fromHex(digits);
    found.assertValidity();
    return found.isTorsionFree() ? found : null;
  } catch {
    return null;
  }
}
