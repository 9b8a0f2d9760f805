/** The providers whose keys are in the configuration file, and the one without a key. */

import { createHash, randomBytes } from "node:crypto";
import { decryptCbc, decryptGcm, encryptCbc, encryptGcm } from "./aes.ts";
import type { Key } from "./configuration.ts";
import { type Provider, ProviderError } from "./provider.ts";
import { openSecretbox, sealSecretbox, secretboxNonceBytes } from "./secretbox.ts";

type Cipher = Pick<Provider, "encrypt" | "decrypt">;

/** One file format each; the names are those of the configuration. */
const ciphers: Readonly<Record<"aescbc" | "aesgcm" | "secretbox", (secret: Uint8Array) => Cipher>> = {
  aescbc: (secret) => ({
    encrypt: (value) => encryptCbc(secret, value),
    decrypt: (body) => decryptCbc(secret, body),
  }),
  aesgcm: (secret) => ({
    encrypt: (value, key) => encryptGcm(secret, value, key),
    decrypt: (body, key) => decryptGcm(secret, body, key),
  }),
  secretbox: (secret) => ({
    encrypt(value) {
      const nonce = randomBytes(secretboxNonceBytes);
      return Buffer.concat([nonce, sealSecretbox(secret, nonce, value)]);
    },
    decrypt(body) {
      const nonce = body.subarray(0, secretboxNonceBytes);
      const value =
        nonce.length < secretboxNonceBytes
          ? undefined
          : openSecretbox(secret, nonce, body.subarray(secretboxNonceBytes));
      if (value === undefined) throw new ProviderError("it was encrypted with another key, or was changed");
      return value;
    },
  }),
};

type LocalType = keyof typeof ciphers;

/** `encryptedPrefix` is the vocabulary's. One provider for each key, in their order. */
export function localProviders(encryptedPrefix: string, type: LocalType, keys: readonly Key[]): Provider[] {
  const metricPrefix = `${encryptedPrefix}${type}:v1:`;
  return keys.map(({ name, secret }) => {
    const prefix = `${metricPrefix}${name}:`;
    // Two keys may have the same name while one replaces the other.
    const keyId = prefix + createHash("sha256").update(secret).digest("base64");
    return { type, prefix, metricPrefix, keyId, ...ciphers[type](secret) };
  });
}

/** Stores values in plain text. It must not mistake encrypted bytes for an object. */
export function identityProvider(encryptedPrefix: string): Provider {
  const encrypted = Buffer.from(encryptedPrefix);
  return {
    type: "identity",
    prefix: "",
    metricPrefix: "identity",
    keyId: "",
    encrypt: (value) => value,
    decrypt(body) {
      if (startsWith(body, encrypted))
        throw new ProviderError("it is encrypted, which the provider identity cannot read");
      return body;
    },
  };
}

export function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false;
  for (let at = 0; at < prefix.length; at += 1) if (bytes[at] !== prefix[at]) return false;
  return true;
}
