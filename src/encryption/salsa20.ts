/** The XSalsa20 stream cipher: Salsa20 with a nonce of 24 bytes, whose first 16 bytes derive a separate key. */

const rounds = 20;
const blockBytes = 64;
/** "expand 32-byte k" as four words, the least significant byte first. */
const constants = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;

/** The first `length` bytes of the key stream of a key of 32 bytes and a nonce of 24. */
export function xsalsa20Stream(key: Uint8Array, nonce: Uint8Array, length: number): Buffer {
  const subkey = words(hsalsa20(key, nonce.subarray(0, 16)));
  const tail = words(nonce.subarray(16, 24));
  const stream = Buffer.alloc(Math.ceil(length / blockBytes) * blockBytes);
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const state = stateOf(subkey, [tail[0]!, tail[1]!, 0, 0]);
  const block = new Int32Array(16);
  for (let at = 0; at < length; at += blockBytes) {
    permute(state, block);
    for (let word = 0; word < 16; word += 1) view.setInt32(at + word * 4, block[word]! + state[word]!, true);
    // The counter of blocks. A message is far shorter than 2^32 blocks, so its upper half stays zero.
    state[8]! += 1;
  }
  return stream.subarray(0, length);
}

/** The key that a long nonce chooses: some words of a permuted state, without the addition that ends a block of Salsa20. */
export function hsalsa20(key: Uint8Array, nonce: Uint8Array): Buffer {
  const block = new Int32Array(16);
  permute(stateOf(words(key), words(nonce)), block);
  const out = Buffer.alloc(32);
  [0, 5, 10, 15, 6, 7, 8, 9].forEach((word, index) => void out.writeInt32LE(block[word]!, index * 4));
  return out;
}

function words(bytes: Uint8Array): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Int32Array.from({ length: bytes.byteLength / 4 }, (_, word) => view.getInt32(word * 4, true));
}

/** Constants on the diagonal, the key around them, the input in the middle. */
function stateOf(key: Int32Array, input: ArrayLike<number>): Int32Array {
  const state = new Int32Array(16);
  constants.forEach((constant, index) => {
    state[index * 5] = constant;
  });
  for (let index = 0; index < 4; index += 1) {
    state[1 + index] = key[index]!;
    state[6 + index] = input[index]!;
    state[11 + index] = key[4 + index]!;
  }
  return state;
}

/** Written out over local variables: a large object is a hundred thousand blocks, and indexed words take ten times as long. */
function permute(state: Int32Array, out: Int32Array): void {
  let x0 = state[0]!;
  let x1 = state[1]!;
  let x2 = state[2]!;
  let x3 = state[3]!;
  let x4 = state[4]!;
  let x5 = state[5]!;
  let x6 = state[6]!;
  let x7 = state[7]!;
  let x8 = state[8]!;
  let x9 = state[9]!;
  let x10 = state[10]!;
  let x11 = state[11]!;
  let x12 = state[12]!;
  let x13 = state[13]!;
  let x14 = state[14]!;
  let x15 = state[15]!;
  for (let round = 0; round < rounds; round += 2) {
    // Columns.
    x4 ^= rotate(x0 + x12, 7);
    x8 ^= rotate(x4 + x0, 9);
    x12 ^= rotate(x8 + x4, 13);
    x0 ^= rotate(x12 + x8, 18);
    x9 ^= rotate(x5 + x1, 7);
    x13 ^= rotate(x9 + x5, 9);
    x1 ^= rotate(x13 + x9, 13);
    x5 ^= rotate(x1 + x13, 18);
    x14 ^= rotate(x10 + x6, 7);
    x2 ^= rotate(x14 + x10, 9);
    x6 ^= rotate(x2 + x14, 13);
    x10 ^= rotate(x6 + x2, 18);
    x3 ^= rotate(x15 + x11, 7);
    x7 ^= rotate(x3 + x15, 9);
    x11 ^= rotate(x7 + x3, 13);
    x15 ^= rotate(x11 + x7, 18);
    // Rows.
    x1 ^= rotate(x0 + x3, 7);
    x2 ^= rotate(x1 + x0, 9);
    x3 ^= rotate(x2 + x1, 13);
    x0 ^= rotate(x3 + x2, 18);
    x6 ^= rotate(x5 + x4, 7);
    x7 ^= rotate(x6 + x5, 9);
    x4 ^= rotate(x7 + x6, 13);
    x5 ^= rotate(x4 + x7, 18);
    x11 ^= rotate(x10 + x9, 7);
    x8 ^= rotate(x11 + x10, 9);
    x9 ^= rotate(x8 + x11, 13);
    x10 ^= rotate(x9 + x8, 18);
    x12 ^= rotate(x15 + x14, 7);
    x13 ^= rotate(x12 + x15, 9);
    x14 ^= rotate(x13 + x12, 13);
    x15 ^= rotate(x14 + x13, 18);
  }
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
  out[4] = x4;
  out[5] = x5;
  out[6] = x6;
  out[7] = x7;
  out[8] = x8;
  out[9] = x9;
  out[10] = x10;
  out[11] = x11;
  out[12] = x12;
  out[13] = x13;
  out[14] = x14;
  out[15] = x15;
}

const rotate = (sum: number, by: number): number => (sum << by) | ((sum | 0) >>> (32 - by));
