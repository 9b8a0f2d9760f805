/** NaCl's secretbox (XSalsa20 and Poly1305), as golang.org/x/crypto/nacl/secretbox writes it: the tag, then the ciphertext. */

import { timingSafeEqual } from "node:crypto";
import { poly1305 } from "./poly1305.ts";
import { xsalsa20Stream } from "./salsa20.ts";

export const secretboxNonceBytes = 24;
const tagBytes = 16;
/** The start of the key stream is the key of the tag; the message is encrypted with what follows. */
const macKeyBytes = 32;
const wordBytes = 4;

/** `nonce` must never be used twice with the same key; random ones of this length are not. */
export function sealSecretbox(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array): Buffer {
  const stream = xsalsa20Stream(key, nonce, macKeyBytes + plain.length);
  const cipher = xor(plain, stream.subarray(macKeyBytes));
  return Buffer.concat([poly1305(stream.subarray(0, macKeyBytes), cipher), cipher]);
}

/** Undefined: the box was not made with this key and nonce, or was changed since. */
export function openSecretbox(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Buffer | undefined {
  if (box.length < tagBytes) return undefined;
  const cipher = box.subarray(tagBytes);
  const stream = xsalsa20Stream(key, nonce, macKeyBytes + cipher.length);
  const tag = poly1305(stream.subarray(0, macKeyBytes), cipher);
  return timingSafeEqual(tag, box.subarray(0, tagBytes)) ? xor(cipher, stream.subarray(macKeyBytes)) : undefined;
}

/** Word by word: byte by byte it takes as long as making the key stream. */
function xor(text: Uint8Array, stream: Uint8Array): Buffer {
  const out = Buffer.allocUnsafeSlow(text.length);
  const [from, mask, to] = [viewOf(text), viewOf(stream), viewOf(out)];
  const wholeBytes = text.length - (text.length % wordBytes);
  for (let at = 0; at < wholeBytes; at += wordBytes) to.setInt32(at, from.getInt32(at) ^ mask.getInt32(at));
  for (let at = wholeBytes; at < text.length; at += 1) out[at] = text[at]! ^ stream[at]!;
  return out;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
