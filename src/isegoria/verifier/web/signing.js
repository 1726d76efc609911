// Signatures: Ed25519 as strictly as the record asks, and the beacon of drand.

import { ascii, eight, four, hex, numberOf, sha, unhex } from "./bytes.js";
import { Point, verify } from "./vendor/noble-ed25519.js";

/** Whether a key signed a message: everything in its range, neither key nor R of small order, cofactor 8. */
export function signed(key, signature, message) {
  const [bytes, own] = [unhex(signature), unhex(key)];
  try {
    if (Point.fromBytes(bytes.subarray(0, 32), false).isSmallOrder()) return false;
  } catch {
    return false; // R is no point of the curve
  }
  return verify(bytes, message, own, { zip215: false });
}

/** Which of {key, round, said} a beacon did not say; asked of a random combination first, then one by one. */
export async function wrongBeacons(asked) {
  const { bls12_381: curve } = await import("./vendor/noble-bls12-381.js");
  const { G1, G2, fields } = curve;
  const DST = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
  const known = new Map();
  const point = (group, digits) => {
    const name = `${group === G1} ${digits}`;
    if (!known.has(name)) known.set(name, decoded(group.Point, digits));
    return known.get(name);
  };

  const hold = (some) => {
    const seed = sha(...some.map(({ key, round, said }) => ascii(`${key} ${round} ${hex(said)}\n`)));
    let left = G1.Point.ZERO;
    const right = new Map();
    for (const [i, { key, round, said }] of some.entries()) {
      const spoken = point(G1, hex(said));
      if (!spoken || !point(G2, key)) return false;
      const factor = numberOf(sha(seed, four(i)).subarray(0, 16));
      const message = G1.Point.fromAffine(G1.hashToCurve(sha(eight(round)), { DST }).toAffine());
      left = left.add(spoken.multiplyUnsafe(factor));
      right.set(key, (right.get(key) ?? G1.Point.ZERO).add(message.multiplyUnsafe(factor)));
    }
    const pairs = [...right].map(([key, total]) => ({ g1: total.negate(), g2: point(G2, key) }));
    if (left.is0() || pairs.some(({ g1 }) => g1.is0())) return false;
    const product = curve.pairingBatch([{ g1: left, g2: G2.Point.BASE }, ...pairs]);
    return fields.Fp12.eql(product, fields.Fp12.ONE);
  };
  if (hold(asked)) return [];
  return [...asked.keys()].filter((i) => !hold([asked[i]]));
}

/** A point of the right subgroup, or null. */
function decoded(Group, digits) {
  try {
    const found = Group.fromHex(digits);
    found.assertValidity();
    return found.isTorsionFree() ? found : null;
  } catch {
    return null;
  }
}
