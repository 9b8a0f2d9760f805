/** The Poly1305 one-time authenticator (RFC 8439, section 2.5), which Node's crypto does not offer separately. */

/**
 * Numbers of 130 bits are six limbs of 22 bits, kept as doubles. A product of two limbs has 45 bits; even six of them added, and
 * those that overflow counted twenty-fold, stay below 2^53 and therefore exact.
 */
const limbBits = 22;
const limbMask = 0x3fffff;
const limbSize = 2 ** limbBits;
/** What overflows the sixth limb is a multiple of 2^132, and 2^132 is 20 modulo 2^130 - 5. */
const overflow = 20;
const blockBytes = 16;
/** Bit 128, in the last limb: a one follows each whole block. */
const topBit = 2 ** (128 - 5 * limbBits);

/** The tag of `message` under a key of 32 bytes that is used for this one message only. */
export function poly1305(key: Uint8Array, message: Uint8Array): Buffer {
  const r = clamped(key.subarray(0, 16));
  const h = new Float64Array(6);
  const wholeBytes = message.length - (message.length % blockBytes);
  absorb(h, r, message.subarray(0, wholeBytes), topBit);
  if (wholeBytes < message.length) {
    // A one follows the last byte of each block, so that a short block differs from one that ends in zeros.
    const block = new Uint8Array(blockBytes);
    block.set(message.subarray(wholeBytes));
    block[message.length - wholeBytes] = 1;
    absorb(h, r, block, 0);
  }
  return finish(h, key.subarray(16, 32));
}

function clamped(r: Uint8Array): Uint8Array {
  const out = Uint8Array.from(r);
  for (const index of [3, 7, 11, 15]) out[index]! &= 15;
  for (const index of [4, 8, 12]) out[index]! &= 252;
  return out;
}

/**
 * h = (h + block) * r modulo 2^130 - 5, for each block of 16 bytes. Written out over local variables: a large object is a hundred
 * thousand blocks, and indexed limbs take ten times as long.
 */
function absorb(h: Float64Array, rBytes: Uint8Array, blocks: Uint8Array, top: number): void {
  const [r0, r1, r2, r3, r4, r5] = limbsOf(rBytes);
  const s1 = overflow * r1;
  const s2 = overflow * r2;
  const s3 = overflow * r3;
  const s4 = overflow * r4;
  const s5 = overflow * r5;
  let h0 = h[0]!;
  let h1 = h[1]!;
  let h2 = h[2]!;
  let h3 = h[3]!;
  let h4 = h[4]!;
  let h5 = h[5]!;
  const view = new DataView(blocks.buffer, blocks.byteOffset, blocks.byteLength);
  for (let at = 0; at < blocks.length; at += blockBytes) {
    const w0 = view.getInt32(at, true);
    const w1 = view.getInt32(at + 4, true);
    const w2 = view.getInt32(at + 8, true);
    const w3 = view.getInt32(at + 12, true);
    h0 += w0 & limbMask;
    h1 += ((w0 >>> 22) | (w1 << 10)) & limbMask;
    h2 += ((w1 >>> 12) | (w2 << 20)) & limbMask;
    h3 += (w2 >>> 2) & limbMask;
    h4 += ((w2 >>> 24) | (w3 << 8)) & limbMask;
    h5 += (w3 >>> 14) + top;
    const p0 = h0 * r0 + h1 * s5 + h2 * s4 + h3 * s3 + h4 * s2 + h5 * s1;
    const p1 = h0 * r1 + h1 * r0 + h2 * s5 + h3 * s4 + h4 * s3 + h5 * s2;
    const p2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s5 + h4 * s4 + h5 * s3;
    const p3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * s5 + h5 * s4;
    const p4 = h0 * r4 + h1 * r3 + h2 * r2 + h3 * r1 + h4 * r0 + h5 * s5;
    const p5 = h0 * r5 + h1 * r4 + h2 * r3 + h3 * r2 + h4 * r1 + h5 * r0;
    // Carries, which leave limbs of 22 bits but for a small excess in the second one.
    let over = Math.floor(p0 / limbSize);
    h0 = p0 - over * limbSize;
    h1 = p1 + over;
    over = Math.floor(h1 / limbSize);
    h1 -= over * limbSize;
    h2 = p2 + over;
    over = Math.floor(h2 / limbSize);
    h2 -= over * limbSize;
    h3 = p3 + over;
    over = Math.floor(h3 / limbSize);
    h3 -= over * limbSize;
    h4 = p4 + over;
    over = Math.floor(h4 / limbSize);
    h4 -= over * limbSize;
    h5 = p5 + over;
    over = Math.floor(h5 / limbSize);
    h5 -= over * limbSize;
    h0 += over * overflow;
    over = Math.floor(h0 / limbSize);
    h0 -= over * limbSize;
    h1 += over;
  }
  h.set([h0, h1, h2, h3, h4, h5]);
}

/** 16 bytes, the least significant first, as limbs. */
function limbsOf(bytes: Uint8Array): [number, number, number, number, number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [w0, w1, w2, w3] = [0, 4, 8, 12].map((at) => view.getInt32(at, true)) as [number, number, number, number];
  return [
    w0 & limbMask,
    ((w0 >>> 22) | (w1 << 10)) & limbMask,
    ((w1 >>> 12) | (w2 << 20)) & limbMask,
    (w2 >>> 2) & limbMask,
    ((w2 >>> 24) | (w3 << 8)) & limbMask,
    w3 >>> 14,
  ];
}

/** The fully reduced value plus the second half of the key, modulo 2^128. BigInt is exact, and this happens once a message. */
function finish(h: Float64Array, pad: Uint8Array): Buffer {
  let value = 0n;
  for (let limb = h.length - 1; limb >= 0; limb -= 1) value = (value << BigInt(limbBits)) + BigInt(h[limb]!);
  value %= (1n << 130n) - 5n;
  const padding = BigInt(`0x${Buffer.from(pad).reverse().toString("hex")}`);
  const tag = BigInt.asUintN(128, value + padding);
  return Buffer.from(tag.toString(16).padStart(32, "0"), "hex").reverse();
}
