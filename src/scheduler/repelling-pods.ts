/** Pods by what their anti-affinity asks of others: a pod is compared only with those whose terms may be about it. */

import type { PodSelection, SelectablePod } from "./selectable-pods.ts";

interface RepellingPod {
  readonly key: string;
  readonly repels: readonly PodSelection[];
}

export class RepellingPods {
  readonly #keys = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  /** `before` is no longer there, `after` is now; they are the same pod, or one is absent. */
  replace(before: RepellingPod | undefined, after: RepellingPod | undefined): void {
    if (before?.repels === after?.repels) return;
    if (before !== undefined)
      for (const name of namesOf(before)) {
        const keys = this.#keys.get(name);
        keys?.delete(before.key);
        if (keys?.size === 0) this.#keys.delete(name);
      }
    if (after !== undefined)
      for (const name of namesOf(after)) {
        const keys = this.#keys.get(name) ?? new Set<string>();
        this.#keys.set(name, keys.add(after.key));
      }
  }

  /** The keys of those that may keep the pod away; one may come twice. */
  *candidates({ namespace, labels }: SelectablePod): Iterable<string> {
    for (const place of [namespace, anywhere]) {
      yield* this.#keys.get(nameOf(place, "", "")) ?? [];
      for (const [key, value] of labels) yield* this.#keys.get(nameOf(place, key, value)) ?? [];
    }
  }
}

/** No namespace has this name. */
const anywhere = "*";
const nameOf = (namespace: string, key: string, value: string) => `${namespace}\0${key}\0${value}`;

/** By the first label that a term asks for in one value, if there is one. */
function* namesOf({ repels }: RepellingPod): Iterable<string> {
  for (const { selector, namespaces, namespaceSelector } of repels) {
    const asked = selector.requirements.find(
      ({ operator, values }) => (operator === "=" || operator === "in") && values.length === 1,
    );
    const [key = "", value = ""] = asked === undefined ? [] : [asked.key, asked.values[0]];
    if (namespaceSelector !== undefined) yield nameOf(anywhere, key, value);
    for (const namespace of namespaces) yield nameOf(namespace, key, value);
  }
}
