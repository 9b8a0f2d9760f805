/** The use of service-account tokens that are kept in Secrets: the Secret is labelled with the day of the last one. */

import { dayOf, invalidSinceLabel, lastUsedLabel } from "../api/core/legacy-tokens.ts";
import { Secret } from "../api/core/v1/secret.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";

export interface LegacyTokenUse {
  /** Labels the Secret of a token that was just used, at most once a day. False: the token became invalid. Undefined: it is labelled and valid. */
  record(secret: ApiObject): Promise<boolean> | undefined;
}

interface LegacyTokenUseOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
}

const dayMs = 86_400_000;

export function createLegacyTokenUse({ registry, catalog, clock, log }: LegacyTokenUseOptions): LegacyTokenUse {
  const { vocabulary } = catalog.environment;
  const kind = catalog.of(Secret);
  const lastUsed = vocabulary.word(lastUsedLabel);
  const invalidSince = vocabulary.word(invalidSinceLabel);
  const context = serverWrites("the use of a token", vocabulary);
  /** By uid: the label that is being written. Many requests may come before it is there. */
  const writing = new Map<string, Promise<void>>();

  const label = (secret: Secret, day: string): Promise<void> => {
    const { namespace = "", name = "", uid = "" } = secret.metadata;
    // Without the Secret the registry refuses before it calls this.
    const change = (current = secret): Secret => {
      if (current.metadata.uid !== uid) return current;
      return { ...current, metadata: { ...current.metadata, labels: { ...current.metadata.labels, [lastUsed]: day } } };
    };
    const write = async () => {
      try {
        await registry.update(kind, { namespace, name }, change, context, { retry: true });
      } catch (error) {
        // The token is as good as before; the next request records it.
        log.warn("the use of a token could not be recorded", { namespace, secret: name, error });
      } finally {
        writing.delete(uid);
      }
    };
    const started = writing.get(uid) ?? write();
    writing.set(uid, started);
    return started;
  };
  return {
    record(secret) {
      const labels = secret.metadata.labels ?? {};
      const isValid = (labels[invalidSince] ?? "") === "";
      const today = dayOf(clock.now());
      // Another server's clock may be ahead.
      const isRecorded = labels[lastUsed] === today || labels[lastUsed] === dayOf(clock.now() + dayMs);
      if (isRecorded && isValid) return undefined;
      return (isRecorded ? Promise.resolve() : label(secret, today)).then(() => isValid);
    },
  };
}
