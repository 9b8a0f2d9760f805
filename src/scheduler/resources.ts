/** Amounts of resources as numbers: thousandths of cpu, bytes of memory, counts of others. */

import type { PodSpec } from "../api/core/v1/pod/spec.ts";
import { milliValue, quantityOf, wholeValue } from "../machinery/values/quantity.ts";

export type Amounts = ReadonlyMap<string, number>;

const amountOf = (name: string, text: string): number =>
  Number(name === "cpu" ? milliValue(quantityOf(text)) : wholeValue(quantityOf(text)));

export function amountsOf(given: Readonly<Record<string, string>> | undefined): Map<string, number> {
  return new Map(Object.entries(given ?? {}).map(([name, text]) => [name, amountOf(name, text)]));
}

/** Adds `more`, or with -1 subtracts it. */
export function addAmounts(to: Map<string, number>, more: Amounts, sign: 1 | -1 = 1): void {
  for (const [name, amount] of more) to.set(name, (to.get(name) ?? 0) + sign * amount);
}

function raise(to: Map<string, number>, more: Amounts): void {
  for (const [name, amount] of more) to.set(name, Math.max(to.get(name) ?? 0, amount));
}

/**
 * What a pod needs at once: all its containers together, or the largest init container if that is more, and its overhead. An init
 * container that restarts always runs beside those after it.
 */
export function requestsOf(spec: PodSpec): Map<string, number> {
  const running = new Map<string, number>();
  for (const container of spec.containers) addAmounts(running, amountsOf(container.resources?.requests));
  const beside = new Map<string, number>();
  const starting = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.requests);
    if ((container as { restartPolicy?: string }).restartPolicy === "Always") {
      addAmounts(beside, own);
      addAmounts(running, own);
      raise(starting, beside);
    } else {
      addAmounts(own, beside);
      raise(starting, own);
    }
  }
  raise(running, starting);
  addAmounts(running, amountsOf(spec.overhead));
  running.set("pods", 1);
  return running;
}
