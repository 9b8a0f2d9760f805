/** Since level 1.27 a ConfigMap says since when the use of tokens in Secrets is recorded: an unused token may be older than that. */

import { dayOf, parseDay, trackingKey, trackingName } from "../api/core/legacy-tokens.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import type { Upkeep } from "./contract.ts";
import { every } from "./every.ts";

const intervalMs = 60_000;

/** A deleted one comes again with the present day, and so does one that cannot be read or lies in the future. */
export const tokenTracking: Upkeep = {
  name: "tracking of tokens",
  start(parts) {
    const { registry, catalog, clock } = parts;
    const { vocabulary, has } = catalog.environment;
    if (!has("trackedTokens")) return { close: async () => undefined };
    const kind = catalog.of(ConfigMap);
    const ref = { namespace: vocabulary.word("orch-system"), name: vocabulary.word(trackingName) };
    const context = serverWrites("bootstrap objects", vocabulary);
    const isGood = (map: ConfigMap | undefined) => {
      const ms = parseDay(map?.data?.[trackingKey] ?? "");
      return ms !== undefined && ms <= clock.now();
    };
    const dated = (current: ConfigMap | undefined): ConfigMap => ({
      metadata: ref,
      ...current,
      data: { ...current?.data, [trackingKey]: dayOf(clock.now()) },
    });
    return every(parts, {
      name: this.name,
      intervalMs,
      atOnce: true,
      async round() {
        if (isGood(registry.peek(kind, ref)?.object())) return;
        const change = (current: ConfigMap | undefined) => (current && isGood(current) ? current : dated(current));
        await registry.update(kind, ref, change, context, { retry: true, createIfMissing: true });
      },
    });
  },
};
