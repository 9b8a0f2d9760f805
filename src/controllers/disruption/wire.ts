/** disruption: keeps the status of budgets: how many of their pods may be disrupted now. */

import { Pod } from "../../api/core/v1/pod.ts";
import { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { followSelectors } from "../parts/selectors/selectors.ts";
import { type BudgetFacts, needsScale, planBudget } from "./reconcile.ts";
import { createScales } from "./scale.ts";

export const disruptionController: Controller = {
  name: "disruption",
  account: "disruption-controller",
  start(context) {
    const { client, informers, clock } = context;
    const budgets = informers.of(PodDisruptionBudget);
    const pods = informers.of(Pod);
    const scales = createScales(informers, client);
    const selectorOf = ({ spec }: PodDisruptionBudget) => labelSelectorFromObject(spec?.selector);
    const selectors = followSelectors(budgets, selectorOf);

    async function observe(budget: PodDisruptionBudget): Promise<BudgetFacts> {
      let selected: readonly Pod[] | undefined;
      try {
        // One that cannot be read is not kept; to read it again tells why.
        const selector = selectors.of(keyOf(budget)) ?? selectorOf(budget);
        selected = pods.select(budget.metadata.namespace, selector);
        return { pods: selected, scale: needsScale(budget) ? await scales.of(selected) : 0 };
      } catch (error) {
        return { ...(selected === undefined ? {} : { pods: selected }), error };
      }
    }
    const queue = context.queue({
      workers: 1,
      component: "controllermanager",
      after: [budgets, pods, ...scales.synced],
      sizeOf: (key) => budgets.get(key)?.status?.expectedPods ?? 0,
      onlyPlans: true,
      async sync(key) {
        const budget = budgets.get(key);
        return budget && planBudget(budget, await observe(budget), clock.now());
      },
    });
    const enqueue = (pod: Pod, old?: Pod) => {
      const labels = [pod, ...(old === undefined ? [] : [old])].map(({ metadata }) => metadata.labels);
      for (const key of selectors.matching(pod.metadata.namespace, ...labels)) queue.add(key);
    };
    budgets.on(enqueueChanged(queue));
    pods.on({ add: (pod) => enqueue(pod), update: enqueue, delete: (pod) => enqueue(pod) });
    return queue;
  },
};
