/**
 * Shuffle sharding: each flow is dealt a few of a level's queues, a hand, by a hash of its name. Two flows seldom have the same hand, so a
 * flow that fills all its queues leaves most others at least one that is short.
 */

import { createHash } from "node:crypto";

/** The first 64 bits of a digest over the name of the schema and what distinguishes the flow. */
export function hashFlow(schema: string, distinguisher: string): bigint {
  return createHash("sha256").update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE();
}

/**
 * `handSize` different numbers below `queues`. The hash is read as a number with mixed radixes: its first digit chooses among all
 * queues, the next among all but one, and so on. A digit counts only queues that have not been dealt yet.
 */
export function dealHand(hash: bigint, queues: number, handSize: number): number[] {
  const hand: number[] = [];
  const digits: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt++) {
    const radix = BigInt(queues - dealt);
    let card = Number(rest % radix);
    rest /= radix;
    const digit = card;
    for (let before = dealt - 1; before >= 0; before--) if (card >= (digits[before] ?? 0)) card++;
    digits.push(digit);
    hand.push(card);
  }
  return hand;
}
