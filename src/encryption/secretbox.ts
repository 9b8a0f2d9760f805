/** NaCl's secretbox (XSalsa20 and Poly1305), as golang.org/x/crypto/nacl/secretbox writes it: the tag, then the ciphertext. */

import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";

export const secretboxNonceBytes = 24;
const tagBytes = 16;

/** `nonce` must never be used twice with the same key; random ones of this length are not. */
export function sealSecretbox(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array): Buffer {
  return bufferOf(xsalsa20poly1305(key, nonce).encrypt(plain));
}

/** Undefined: the box was not made with this key and nonce, or was changed since. */
export function openSecretbox(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Buffer | undefined {
  if (box.length < tagBytes) return undefined;
  const cipher = xsalsa20poly1305(key, nonce);
  try {
    return bufferOf(cipher.decrypt(box));
  } catch {
    return undefined; // key and nonce have been accepted, so only the tag can be wrong
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
