/** resourcequota: the status of every quota says its limits and how much of them is used. */

import { ResourceQuota } from "../../api/core/v1/resource-quota.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import { sameJson } from "../../machinery/schema/json-value.ts";
import type { Controller } from "../contract.ts";
import { nextStatus } from "./reconcile.ts";
import { createSources } from "./sources.ts";

/** What is given back is counted soon. What is new was counted when it was admitted, and is only checked. */
const givenBackMs = 20;
const checkMs = 1_000;

export const resourceQuotaController: Controller = {
  name: "resourcequota",
  account: "resourcequota-controller",
  start(context) {
    const { client, informers, settings } = context;
    const quotas = informers.of(ResourceQuota);
    const sources = createSources(context, (namespace, isNew) => {
      for (const quota of quotas.list(namespace)) queue.addAfter(keyOf(quota), isNew ? checkMs : givenBackMs);
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
        const status = nextStatus(
          quota,
          found.map((source) => ({ ...source, objects: source.objects(namespace) })),
        );
        if (status !== undefined) await ifThere(client.of(ResourceQuota).updateStatus({ ...quota, status }));
      },
    });
    quotas.on({
      add: (quota) => queue.add(keyOf(quota)),
      update(quota, old) {
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
