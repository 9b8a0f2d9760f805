/** AES in the two modes that v1.21 stores: CBC with a random initialization vector, and GCM bound to the storage key. */

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { ProviderError } from "./provider.ts";

const ivBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** The initialization vector, then the blocks with PKCS#7 padding. Nothing in it is authenticated. */
export function encryptCbc(secret: Uint8Array, value: Uint8Array): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(`aes-${secret.length * 8}-cbc`, secret, iv);
  return Buffer.concat([iv, cipher.update(value), cipher.final()]);
}

export function decryptCbc(secret: Uint8Array, body: Uint8Array): Buffer {
  if (body.length < 2 * ivBytes || body.length % ivBytes !== 0) {
    throw new ProviderError("the stored data is not a number of whole AES blocks");
  }
  try {
    const cipher = createDecipheriv(`aes-${secret.length * 8}-cbc`, secret, body.subarray(0, ivBytes));
    return Buffer.concat([cipher.update(body.subarray(ivBytes)), cipher.final()]);
  } catch {
    // Node's error only names an OpenSSL routine.
    throw new ProviderError("the padding is wrong: it was encrypted with another key, or was changed");
  }
}

/** The nonce, the ciphertext, the tag. The key is authenticated, so that a value cannot be moved to another object. */
export function encryptGcm(secret: Uint8Array, value: Uint8Array, key: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(gcmOf(secret), secret, nonce).setAAD(Buffer.from(key));
  return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
}

export function decryptGcm(secret: Uint8Array, body: Uint8Array, key: string): Buffer {
  if (body.length < nonceBytes + tagBytes)
    throw new ProviderError("the stored data was shorter than the required size");
  const end = body.length - tagBytes;
  try {
    const cipher = createDecipheriv(gcmOf(secret), secret, body.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(key))
      .setAuthTag(body.subarray(end));
    return Buffer.concat([cipher.update(body.subarray(nonceBytes, end)), cipher.final()]);
  } catch {
    throw new ProviderError(
      "message authentication failed: it was encrypted with another key, was changed or was moved",
    );
  }
}

function gcmOf(secret: Uint8Array): "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm" {
  return secret.length === 16 ? "aes-128-gcm" : secret.length === 24 ? "aes-192-gcm" : "aes-256-gcm";
}
