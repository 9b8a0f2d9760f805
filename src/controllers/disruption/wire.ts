/** disruption: keeps the status of budgets: how many of their pods may be disrupted now. */

import { Pod } from "../../api/core/v1/pod.ts";
import { PodDisruptionBudget, type PodDisruptionBudgetStatus } from "../../api/policy/v1/pod-disruption-budget.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason } from "../../client/requests/send.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { labelMap, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { messageOf } from "../plan.ts";
import { budgetStatus, disruptedPods, expectedPods, failedStatus, needsScale } from "./reconcile.ts";
import { createScales, NoScale } from "./scale.ts";

export const disruptionController: Controller = {
  name: "disruption",
  account: "disruption-controller",
  start: startDisruption,
};

function startDisruption(context: ControllerContext) {
  const { client, informers, clock } = context;
  const budgets = informers.of(PodDisruptionBudget);
  const pods = informers.of(Pod);
  const scales = createScales(informers, client);
  const recorder = context.recorder("controllermanager");

  const queue = context.queue({
    workers: 1,
    after: [budgets, pods, ...scales.synced],
    async sync(key) {
      const budget = budgets.get(key);
      if (budget === undefined) return;
      try {
        await update(key, budget);
      } catch (error) {
        if (hasReason(error, "Conflict")) throw error;
        await write(budget, failedStatus(budget, messageOf(error), clock.now()));
        // Changes of pods and controllers enqueue the budget again; any other failure is retried.
        if (!(error instanceof NoScale)) throw error;
      }
    },
  });

  async function update(key: string, budget: PodDisruptionBudget): Promise<void> {
    const selected = podsOf(budget);
    if (selected.length === 0) recorder.event(budget, "Normal", "NoPods", "No matching pods found");
    const expected = expectedPods(budget, selected.length, needsScale(budget) ? await scaleOf(budget, selected) : 0);
    const nowMs = clock.now();
    const disrupted = disruptedPods(budget, selected, nowMs);
    for (const pod of disrupted.late) {
      const message = `Pod was expected by PDB ${key} to be deleted but it wasn't`;
      recorder.event(pod, "Warning", "NotDeleted", message);
    }
    await write(budget, budgetStatus(budget, selected, expected, disrupted, nowMs));
    if (disrupted.reviewInMs !== undefined) queue.addAfter(key, disrupted.reviewInMs);
  }

  async function scaleOf(budget: PodDisruptionBudget, selected: readonly Pod[]): Promise<number> {
    try {
      return await scales.of(selected);
    } catch (error) {
      if (error instanceof NoScale && error.event !== undefined)
        recorder.event(budget, "Warning", error.event, error.message);
      const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
      recorder.event(budget, "Warning", "CalculateExpectedPodCountFailed", message);
      throw error;
    }
  }

  async function write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Promise<void> {
    if (!sameValue(budget.status, status)) await client.of(PodDisruptionBudget).updateStatus({ ...budget, status });
  }

  function podsOf({ metadata, spec }: PodDisruptionBudget): readonly Pod[] {
    return pods.select(metadata.namespace, labelSelectorFromObject(spec?.selector));
  }

  const enqueue = (...changed: readonly Pod[]) => {
    for (const budget of budgets.list(changed[0]?.metadata.namespace)) {
      if (changed.some((pod) => selects(budget, pod))) queue.add(keyOf(budget));
    }
  };
  budgets.on({ add: (budget) => queue.add(keyOf(budget)), update: (budget) => queue.add(keyOf(budget)) });
  pods.on({ add: (pod) => enqueue(pod), update: (pod, old) => enqueue(pod, old), delete: (pod) => enqueue(pod) });
  return queue;
}

/** A selector that cannot be read is reported when the budget is reconciled. */
function selects({ spec }: PodDisruptionBudget, pod: Pod): boolean {
  try {
    return labelSelectorFromObject(spec?.selector).matches(labelMap(pod.metadata.labels));
  } catch {
    return false;
  }
}
