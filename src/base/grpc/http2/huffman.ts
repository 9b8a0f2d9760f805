/** Reads strings in the Huffman code of HPACK. */

import { onFirstUse } from "../../first-use.ts";
import { huffmanBits } from "./header-tables.ts";

/** Where a walk over the bits goes from each node: another node, or below zero the byte `-1 - next`. Two numbers for each node. */
const walkOf = onFirstUse(makeWalk);

/** Undefined: not a text in this code. */
export function readHuffman(bytes: Uint8Array): string | undefined {
  const walk = walkOf();
  let text = "";
  let node = 0;
  let bits = 0;
  let areOnes = true;
  for (const byte of bytes)
    for (let shift = 7; shift >= 0; shift -= 1) {
      const bit = (byte >> shift) & 1;
      const next = walk[2 * node + bit]!;
      // The code that only ones lead to ends a text, and must not be in one.
      if (next === 0) return undefined;
      bits += 1;
      areOnes &&= bit === 1;
      if (next > 0) node = next;
      else {
        text += String.fromCharCode(-1 - next);
        node = 0;
        bits = 0;
        areOnes = true;
      }
    }
  // What is left of the last byte is filled with ones.
  return bits < 8 && areOnes ? text : undefined;
}

/** The codes as a tree, made of their lengths: see header-tables.ts. */
function makeWalk(): Int32Array {
  const made = new Int32Array(2 * 256);
  let nodes = 1;
  const order = huffmanBits.map((_bits, byte) => byte).sort((a, b) => huffmanBits[a]! - huffmanBits[b]! || a - b);
  let code = 0;
  let length = 0;
  for (const byte of order) {
    code *= 2 ** (huffmanBits[byte]! - length);
    length = huffmanBits[byte]!;
    let node = 0;
    for (let at = length - 1; at > 0; at -= 1) {
      const way = 2 * node + ((code >> at) & 1);
      if (made[way] === 0) made[way] = nodes++;
      node = made[way]!;
    }
    made[2 * node + (code & 1)] = -1 - byte;
    code += 1;
  }
  return made;
}
