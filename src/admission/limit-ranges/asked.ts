/** How much of a resource a container, a pod or a claim requests. */

import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { Container } from "../../api/core/v1/pod/container.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from "../../machinery/values/quantity.ts";
import type { Asked } from "./bounds.ts";

type Amounts = Readonly<Record<string, string>> | undefined;
type Column = "requests" | "limits";

export function askedByContainer({ resources }: Container): Asked {
  return {
    request: (name) => amountOf(resources?.requests, name),
    limit: (name) => amountOf(resources?.limits, name),
  };
}

/** What the pod itself says, otherwise the sum of all containers, or the largest init container: those run before them one by one. */
export function askedByPod({ spec }: Pod): Asked {
  const ask = (column: Column, name: string): Quantity | undefined => {
    const ofPod = amountOf(spec?.resources?.[column], name);
    if (ofPod !== undefined) return ofPod;
    const amount = ({ resources }: Container) => amountOf(resources?.[column], name);
    const together = sum((spec?.containers ?? []).map(amount));
    return largest([together, ...(spec?.initContainers ?? []).map(amount)]);
  };
  return { request: (name) => ask("requests", name), limit: (name) => ask("limits", name) };
}

export function askedByClaim({ spec }: PersistentVolumeClaim): Asked {
  return { request: (name) => amountOf(spec?.resources?.requests, name), limit: () => undefined };
}

function amountOf(amounts: Amounts, name: string): Quantity | undefined {
  const text = amounts !== undefined && Object.hasOwn(amounts, name) ? amounts[name] : undefined;
  return text === undefined ? undefined : parseQuantity(text);
}

/** Undefined if one of them is undefined: an amount that one container leaves open is open for the pod. */
function sum(amounts: readonly (Quantity | undefined)[]): Quantity | undefined {
  let total: Quantity | undefined;
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    total = total === undefined ? amount : addQuantities(total, amount);
  }
  return total;
}

function largest(amounts: readonly (Quantity | undefined)[]): Quantity | undefined {
  let most: Quantity | undefined;
  for (const amount of amounts) {
    if (amount !== undefined && (most === undefined || compareQuantities(amount, most) > 0)) most = amount;
  }
  return most;
}
