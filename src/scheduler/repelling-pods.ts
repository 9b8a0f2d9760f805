/** Pods by what their anti-affinity asks of others: a pod is compared only with those whose terms may be about it. */

import type { PodSelection, SelectablePod } from "./selectable-pods.ts";

interface RepellingPod {
  readonly repels: readonly PodSelection[];
}

export class RepellingPods<Pod extends RepellingPod> {
  readonly #pods = new Map<string, Set<Pod>>();

  get isEmpty(): boolean {
    return this.#pods.size === 0;
  }

  add(pod: Pod): void {
    for (const name of namesOf(pod)) {
      const pods = this.#pods.get(name) ?? new Set<Pod>();
      this.#pods.set(name, pods.add(pod));
    }
  }

  remove(pod: Pod): void {
    for (const name of namesOf(pod)) {
      const pods = this.#pods.get(name);
      pods?.delete(pod);
      if (pods?.size === 0) this.#pods.delete(name);
    }
  }

  /** Those that may keep the pod away; one may come twice. */
  *candidates({ namespace, labels }: SelectablePod): Iterable<Pod> {
    for (const place of [namespace, anywhere]) {
      yield* this.#pods.get(nameOf(place, "", "")) ?? [];
      for (const [key, value] of labels) yield* this.#pods.get(nameOf(place, key, value)) ?? [];
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
