/** Envelope encryption: each value has its own data key, which a KMS plugin encrypts and which is stored with the value. */

import { randomBytes } from "node:crypto";
import { LruMap } from "../base/lru-map.ts";
import { decryptCbc, encryptCbc } from "./aes.ts";
import type { KmsConfiguration } from "./configuration.ts";
import type { Kms } from "./kms-client.ts";
import type { EncryptionMetrics } from "./metrics.ts";
import { type Provider, ProviderError } from "./provider.ts";

const dataKeyBytes = 32;
/** The length of the encrypted data key, which comes first, takes two bytes. */
const encryptedKeyBytesMax = 65_535;

export function kmsProvider(
  encryptedPrefix: string,
  kms: Kms,
  options: KmsConfiguration,
  metrics: EncryptionMetrics,
): Provider {
  const { name, socket, cacheSize } = options;
  const cache = cacheSize > 0 ? new LruMap<string, Uint8Array>(cacheSize) : undefined;
  const remember = (encrypted: Buffer, secret: Uint8Array): void => {
    if (cache === undefined) return;
    cache.set(encrypted.toString("base64"), secret);
    metrics.cacheFill(cache.size / cacheSize);
  };
  const metricPrefix = `${encryptedPrefix}kms:v1:`;
  const prefix = `${metricPrefix}${name}:`;
  return {
    type: "kms",
    prefix,
    metricPrefix,
    keyId: prefix + socket,
    async encrypt(value) {
      const secret = metrics.generateKey(() => randomBytes(dataKeyBytes));
      const encrypted = await kms.encrypt(secret);
      if (encrypted.length === 0 || encrypted.length > encryptedKeyBytesMax) {
        throw new ProviderError(`KMS provider ${name}: the encrypted key has ${encrypted.length} bytes`);
      }
      remember(encrypted, secret);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(encrypted.length);
      return Buffer.concat([length, encrypted, encryptCbc(secret, value)]);
    },
    decrypt(body) {
      const length = body.length < 2 ? 0 : (body[0]! << 8) | body[1]!;
      if (length === 0 || body.length < 2 + length) throw new ProviderError("the stored data is cut off");
      const encrypted = Buffer.from(body.subarray(2, 2 + length));
      const sealed = body.subarray(2 + length);
      const known = cache?.get(encrypted.toString("base64"));
      if (known !== undefined) return decryptCbc(known, sealed);
      metrics.cacheMiss();
      return kms.decrypt(encrypted).then((secret) => {
        if (![16, 24, 32].includes(secret.length)) {
          throw new ProviderError(`KMS provider ${name}: the data key has ${secret.length} bytes`);
        }
        remember(encrypted, secret);
        return decryptCbc(secret, sealed);
      });
    },
  };
}
