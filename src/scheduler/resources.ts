/** Amounts of resources as numbers: thousandths of cpu, bytes of memory, counts of others. */

import type { PodSpec } from "../api/core/v1/pod/spec.ts";
import { milliValue, quantityOf, wholeValue } from "../machinery/values/quantity.ts";

/**
 * The resources that nearly every pod and node has are members of their own, because each decision compares them for hundreds of nodes;
 * the others are in a map.
 */
export interface Amounts {
  readonly cpu: number;
  readonly memory: number;
  readonly pods: number;
  readonly others: ReadonlyMap<string, number>;
}

type MutableAmounts = { -readonly [name in keyof Amounts]: Amounts[name] } & { readonly others: Map<string, number> };

export const noAmounts = (): MutableAmounts => ({ cpu: 0, memory: 0, pods: 0, others: new Map() });

const amountOf = (name: string, text: string): number =>
  Number(name === "cpu" ? milliValue(quantityOf(text)) : wholeValue(quantityOf(text)));

export function amountsOf(given: Readonly<Record<string, string>> | undefined): MutableAmounts {
  const amounts = noAmounts();
  setAmounts(amounts, given);
  return amounts;
}

/** Replaces the amounts that are given. */
function setAmounts(amounts: MutableAmounts, given: Readonly<Record<string, string>> | undefined): void {
  for (const [name, text] of Object.entries(given ?? {})) {
    if (name === "cpu" || name === "memory" || name === "pods") amounts[name] = amountOf(name, text);
    else setOther(amounts, name, amountOf(name, text));
  }
}

/** Nothing is the same as no such resource: a pod may name tens of thousands without requesting any. */
function setOther({ others }: MutableAmounts, name: string, amount: number): void {
  if (amount === 0) others.delete(name);
  else others.set(name, amount);
}

/** Adds `more`, or with -1 subtracts it. */
export function addAmounts(to: MutableAmounts, more: Amounts, sign: 1 | -1 = 1): void {
  change(to, more, (old, amount) => old + sign * amount);
}

function raise(to: MutableAmounts, more: Amounts): void {
  change(to, more, Math.max);
}

function change(to: MutableAmounts, by: Amounts, next: (old: number, amount: number) => number): void {
  to.cpu = next(to.cpu, by.cpu);
  to.memory = next(to.memory, by.memory);
  to.pods = next(to.pods, by.pods);
  for (const [name, amount] of by.others) setOther(to, name, next(to.others.get(name) ?? 0, amount));
}

/**
 * What a pod needs at once: all its containers together, or the largest init container if that is more, and its overhead. An init
 * container that restarts always runs beside those after it. What the pod requests as a whole counts instead of what its containers do.
 */
export function requestsOf(spec: PodSpec): Amounts {
  const running = noAmounts();
  for (const container of spec.containers) addAmounts(running, amountsOf(container.resources?.requests));
  const beside = noAmounts();
  const starting = noAmounts();
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
  setAmounts(running, spec.resources?.requests);
  addAmounts(running, amountsOf(spec.overhead));
  running.pods = 1;
  return running;
}
