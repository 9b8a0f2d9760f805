/** resourcequota: the status of every quota says its limits and how much of them is used. */

import { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import { addTo, takeFrom } from "../../api/quota/amounts.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import { sameJson } from "../../machinery/schema/json-value.ts";
import type { Quantity } from "../../machinery/values/quantity.ts";
import type { Controller } from "../contract.ts";
import { freedBy, nextStatus } from "./reconcile.ts";
import { createSources } from "./sources.ts";

/** Released usage is counted soon. New usage was counted at admission, and is only verified. */
const givenBackMs = 20;
const checkMs = 1_000;
/** The longest time between the charge and the store of a new object: the default of --request-timeout. */
const stableAfterMs = 60_000;

/** What the controller remembers of one quota. */
interface Memory {
  /** When it last changed. */
  changedMs: number;
  freed: Map<string, Quantity>;
}

export const resourceQuotaController: Controller = {
  name: "resourcequota",
  account: "resourcequota-controller",
  start(context) {
    const { client, informers, settings, clock } = context;
    const quotas = informers.of(ResourceQuota);
    const memories = new Map<string, Memory>();
    const memoryOf = (key: string): Memory => {
      const known = memories.get(key) ?? { changedMs: clock.monotonic(), freed: new Map() };
      memories.set(key, known);
      return known;
    };
    const sources = createSources(context, ({ namespace, source, old, next }) => {
      for (const quota of quotas.list(namespace)) {
        const key = keyOf(quota);
        if (old !== undefined) addTo(memoryOf(key).freed, freedBy(quota, source, old, next));
        queue.addAfter(key, old === undefined ? checkMs : givenBackMs);
      }
    });
    const queue = context.queue({
      workers: settings.concurrentResourceQuotaSyncs,
      after: [quotas],
      async sync(key) {
        const wanted = quotas.get(key);
        if (wanted === undefined) return;
        const found = await sources.of(Object.keys(wanted.spec?.hard ?? {}));
        await Promise.all(found.map(({ synced }) => synced));
        const quota = quotas.get(key);
        if (quota === undefined) return;
        const { namespace = "" } = quota.metadata;
        const memory = memoryOf(key);
        const freed = new Map(memory.freed);
        const counted = found.map((source) => ({ ...source, groups: source.groups(namespace) }));
        const restMs = memory.changedMs + stableAfterMs - clock.monotonic();
        const status = nextStatus(quota, counted, { freed, isStable: restMs <= 0 });
        if (status !== undefined) {
          await ifThere(client.of(ResourceQuota).updateStatus({ ...quota, status }));
          takeFrom(memory.freed, freed);
        }
        // The rest of what is used too much, by creations that failed, is credited when the quota is stable.
        if (restMs > 0) queue.addAfter(key, restMs);
      },
    });
    quotas.on({
      add: (quota) => queue.add(keyOf(quota)),
      delete: (quota) => void memories.delete(keyOf(quota)),
      update(quota, old) {
        memoryOf(keyOf(quota)).changedMs = clock.monotonic();
        // A use that others write is only checked: admission does so with every object.
        if (sameJson(quota.spec, old.spec)) queue.addAfter(keyOf(quota), checkMs);
        else queue.add(keyOf(quota));
      },
    });
    context.every(settings.resourceQuotaSyncPeriodMs, () => {
      for (const quota of quotas.list()) queue.add(keyOf(quota));
    });
    return queue;
  },
};
