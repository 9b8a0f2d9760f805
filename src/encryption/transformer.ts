/** Which provider encrypts and decrypts what is stored under a key: the first of its resource writes, all of them read. */

import type { FamilyId } from "../machinery/schema/identity.ts";
import { type Transformed, type Transformer, Unreadable } from "../registry/contract/transformer.ts";
import { identityProvider, startsWith } from "./local-providers.ts";
import type { EncryptionMetrics } from "./metrics.ts";
import { type Provider, ProviderError } from "./provider.ts";

/** By the identity of the family; a family without an entry is stored in plain text. */
type ProvidersByFamily = ReadonlyMap<FamilyId, readonly Provider[]>;

interface ChangingTransformer extends Transformer {
  /** Reads and writes with other providers from now on. */
  replace(providers: ProvidersByFamily): void;
}

/** Objects are stored as JSON, and a wrong key makes noise: the first byte detects nearly all such cases. */
const openingBrace = 0x7b;

interface Source {
  readonly provider: Provider;
  readonly prefix: Uint8Array;
}

export function createTransformer(encryptedPrefix: string, metrics: EncryptionMetrics): ChangingTransformer {
  const identity = sourcesOf([identityProvider(encryptedPrefix)]);
  const marker = Buffer.from(encryptedPrefix);
  let sources = new Map<string, readonly Source[]>();
  const listeners = new Set<() => void>();
  const sourcesFor = (key: string): readonly Source[] =>
    sources.size === 0 ? identity : (sources.get(familyInKey(key)) ?? identity);

  const record = (
    direction: "to_storage" | "from_storage",
    provider: Provider | undefined,
    since: number,
    ok: boolean,
  ) => metrics.transformed(direction, provider?.metricPrefix ?? "unknown", since, ok);

  /** The first source at or after `from` that reads it; errors of the ones before are kept for the message. */
  const read = (
    { key, stored, list }: { key: string; stored: Uint8Array; list: readonly Source[] },
    from: number,
    errors: readonly ProviderError[],
  ): Transformed | Promise<Transformed> => {
    for (let index = from; index < list.length; index += 1) {
      const { provider, prefix } = list[index]!;
      if (!startsWith(stored, prefix)) continue;
      const since = metrics.now();
      const failed = (error: unknown): readonly ProviderError[] => {
        const reason = asProviderError(error);
        // The provider without a prefix is tried for every value, so its refusal of encrypted bytes is not a failure.
        if (prefix.length > 0) record("from_storage", provider, since, false);
        return prefix.length > 0 ? [...errors, reason] : errors;
      };
      const take = (value: Uint8Array): Transformed => {
        if (prefix.length > 0 && value[0] !== openingBrace)
          throw new ProviderError("it was encrypted with another key");
        record("from_storage", provider, since, true);
        return { value, keyId: provider.keyId };
      };
      const next = (error: unknown) => read({ key, stored, list }, index + 1, failed(error));
      try {
        const value = provider.decrypt(stored.subarray(prefix.length), key);
        return value instanceof Promise ? value.then(take).catch(next) : take(value);
      } catch (error) {
        return next(error);
      }
    }
    if (errors.length === 0) record("from_storage", undefined, metrics.now(), false);
    throw unreadable(stored, marker, errors);
  };

  return {
    toStorage(key, value) {
      const list = sourcesFor(key);
      if (list === identity) return { value, keyId: "" };
      const { provider, prefix } = list[0]!;
      const since = metrics.now();
      const done = (body: Uint8Array): Transformed => {
        record("to_storage", provider, since, true);
        return { value: prefix.length === 0 ? body : Buffer.concat([prefix, body]), keyId: provider.keyId };
      };
      const fail = (error: unknown): never => {
        record("to_storage", provider, since, false);
        throw error;
      };
      try {
        const body = provider.encrypt(value, key);
        return body instanceof Promise ? body.then(done, fail) : done(body);
      } catch (error) {
        return fail(error);
      }
    },
    fromStorage(key, stored) {
      const list = sourcesFor(key);
      // The usual case by far: no rule for this resource, and an object in the clear.
      if (list === identity && stored[0] === openingBrace) return { value: stored, keyId: "" };
      return read({ key, stored, list }, 0, []);
    },
    encrypts: (family) => sources.has(family),
    writesWith: (family) => (sources.get(family) ?? identity)[0]!.provider.keyId,
    onChange(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    replace(providers) {
      sources = new Map([...providers].map(([family, list]) => [family, sourcesOf(list)]));
      for (const listener of [...listeners]) listener();
    },
  };
}

const sourcesOf = (providers: readonly Provider[]): readonly Source[] =>
  providers.map((provider) => ({ provider, prefix: Buffer.from(provider.prefix) }));

/** `/core/secrets/NAMESPACE/NAME` -> `core/secrets`. */
export function familyInKey(key: string): FamilyId {
  const group = key.indexOf("/", 1);
  return key.slice(1, key.indexOf("/", group + 1)) as FamilyId; // a key begins with the identity of a family
}

function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  // An error of the crypto library, for example: its message may not be shown.
  return new ProviderError("the provider failed", { cause: error });
}

/** Prefixes name a provider and a key, not its secret. They end with the fifth colon. */
const prefixShown = /^[a-z0-9]+:enc:[a-z0-9]+:v[0-9]+:[^:]{1,100}:/;

function unreadable(stored: Uint8Array, marker: Uint8Array, errors: readonly ProviderError[]): Unreadable {
  const isTransient = errors.some((error) => error.isTransient);
  const start = Buffer.from(stored.subarray(0, 256)).toString("latin1");
  const prefix = startsWith(stored, marker) ? (prefixShown.exec(start)?.[0] ?? "") : "";
  const what = prefix === "" ? "it cannot be decrypted" : `it is encrypted with ${prefix}`;
  const why =
    errors.length === 0
      ? "no matching prefix found in the encryption configuration"
      : [...new Set(errors.map(({ message }) => message))].join("; ");
  return new Unreadable(`${what}: ${why}`, { isTransient, cause: errors[0] });
}
