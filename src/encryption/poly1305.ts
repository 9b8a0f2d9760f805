/** The Poly1305 one-time authenticator (RFC 8439, section 2.5), which Node's crypto does not offer by itself. */

/** Numbers of 130 bits are ten limbs of 13 bits: the sum of ten products of two limbs, five-fold, stays below 2^53. */
const limbs = 10;
const limbBits = 13;
const limbMask = 0x1fff;
const blockBytes = 16;

/** The tag of `message` under a key of 32 bytes that is used for this one message only. */
export function poly1305(key: Uint8Array, message: Uint8Array): Buffer {
  const r = new Float64Array(limbs);
  addLimbs(r, clamped(key.subarray(0, 16)), 0, 0);
  const h = new Float64Array(limbs);
  const product = new Float64Array(limbs);
  let at = 0;
  for (; at + blockBytes <= message.length; at += blockBytes) {
    addLimbs(h, message, at, 1);
    multiply(h, r, product);
  }
  if (at < message.length) {
    // A one follows the last byte of each block, so that a short block differs from one that ends in zeros.
    const block = new Uint8Array(blockBytes);
    block.set(message.subarray(at));
    block[message.length - at] = 1;
    addLimbs(h, block, 0, 0);
    multiply(h, r, product);
  }
  return finish(h, key.subarray(16, 32));
}

function clamped(r: Uint8Array): Uint8Array {
  const out = Uint8Array.from(r);
  for (const index of [3, 7, 11, 15]) out[index]! &= 15;
  for (const index of [4, 8, 12]) out[index]! &= 252;
  return out;
}

/** Adds 16 bytes from `at`, the least significant first, with `top` as the bit above them. */
function addLimbs(sum: Float64Array, bytes: Uint8Array, at: number, top: number): void {
  for (let limb = 0; limb < limbs; limb += 1) {
    const bit = limb * limbBits;
    const first = bit >> 3;
    // 13 bits never lie in more than three bytes, and the last limb has only eleven of them.
    let part = bytes[at + first]! | (bytes[at + first + 1]! << 8);
    if (first + 2 < blockBytes) part |= bytes[at + first + 2]! << 16;
    sum[limb]! += (part >> (bit & 7)) & limbMask;
  }
  // Bit 128 is the twelfth bit of the last limb.
  sum[limbs - 1]! += top * 2 ** (128 - (limbs - 1) * limbBits);
}

/** h = h * r modulo 2^130 - 5: what overflows 2^130 counts five-fold at the bottom. */
function multiply(h: Float64Array, r: Float64Array, product: Float64Array): void {
  for (let limb = 0; limb < limbs; limb += 1) {
    let sum = 0;
    for (let other = 0; other <= limb; other += 1) sum += h[other]! * r[limb - other]!;
    let high = 0;
    for (let other = limb + 1; other < limbs; other += 1) high += h[other]! * r[limb + limbs - other]!;
    product[limb] = sum + 5 * high;
  }
  carry(product);
  h.set(product);
}

/** Leaves limbs of 13 bits, but for a small excess in the second one. */
function carry(value: Float64Array): void {
  let over = 0;
  for (let limb = 0; limb < limbs; limb += 1) {
    const sum = value[limb]! + over;
    over = Math.floor(sum / (limbMask + 1));
    value[limb] = sum - over * (limbMask + 1);
  }
  const first = value[0]! + 5 * over;
  const more = Math.floor(first / (limbMask + 1));
  value[0] = first - more * (limbMask + 1);
  value[1]! += more;
}

/** The fully reduced value plus the second half of the key, modulo 2^128. BigInt is exact, and this happens once a message. */
function finish(h: Float64Array, pad: Uint8Array): Buffer {
  let value = 0n;
  for (let limb = limbs - 1; limb >= 0; limb -= 1) value = (value << BigInt(limbBits)) + BigInt(h[limb]!);
  value %= (1n << 130n) - 5n;
  const padding = BigInt(`0x${Buffer.from(pad).reverse().toString("hex")}`);
  const tag = BigInt.asUintN(128, value + padding);
  return Buffer.from(tag.toString(16).padStart(32, "0"), "hex").reverse();
}
