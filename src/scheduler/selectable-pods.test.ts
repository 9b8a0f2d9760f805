/** What an index leaves out is about no term: the same pods are found as by comparing all of them. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelSelectorFromObject } from "../machinery/selectors/label-selector.ts";
import { RepellingPods } from "./repelling-pods.ts";
import { indexedLabelsMax, type PodSelection, type SelectablePod, SelectablePods } from "./selectable-pods.ts";

const keys = fc.constantFrom("app", "tier", "zone");
const values = fc.constantFrom("a", "b", "c");
const namespaces = fc.constantFrom("one", "two", "three");
/** Some have more labels than are indexed. */
const labels = fc.tuple(fc.dictionary(keys, values), fc.boolean()).map(([some, isLarge]) => {
  const more = isLarge ? indexedLabelsMax : 0;
  return new Map([...Object.entries(some), ...Array.from({ length: more }, (_, at) => [`more-${at}`, "x"] as const)]);
});
const pods = fc.array(fc.record({ key: fc.constantFrom("1", "2", "3", "4", "5"), namespace: namespaces, labels }), {
  maxLength: 12,
});
const selectorObjects = fc.record({
  matchLabels: fc.dictionary(keys, values),
  matchExpressions: fc.array(
    fc.oneof(
      fc.record({ key: keys, operator: fc.constantFrom("In", "NotIn"), values: fc.array(values, { minLength: 1 }) }),
      fc.record({ key: keys, operator: fc.constantFrom("Exists", "DoesNotExist") }),
    ),
    { maxLength: 2 },
  ),
});
const selections: fc.Arbitrary<PodSelection> = fc
  .record({ selector: selectorObjects, namespaces: fc.array(namespaces, { maxLength: 2 }), isAnywhere: fc.boolean() })
  .map(({ selector, namespaces: some, isAnywhere }) => ({
    selector: labelSelectorFromObject(selector),
    namespaces: new Set(some),
    namespaceSelector: isAnywhere ? labelSelectorFromObject({}) : undefined,
  }));
const isAbout = ({ selector, namespaces: some, namespaceSelector }: PodSelection, pod: SelectablePod) =>
  (some.has(pod.namespace) || namespaceSelector !== undefined) && selector.matches(pod.labels);

interface NamedPod extends SelectablePod {
  readonly key: string;
}

/** Under its name a pod stays in its namespace. */
const keyOf = ({ namespace, key }: NamedPod) => `${namespace}/${key}`;

describe("the pods that a selection may be about", () => {
  test("are all those that it selects, each once, whatever came and went before", () => {
    fc.assert(
      fc.property(pods, fc.array(selections, { maxLength: 3 }), fc.array(fc.nat(11)), (some, asked, gone) => {
        const index = new SelectablePods<NamedPod>();
        const there = new Map<string, NamedPod>();
        for (const one of some) {
          const pod = { ...one, key: keyOf(one) };
          const before = there.get(pod.key);
          if (before !== undefined) index.remove(before);
          index.add(pod);
          there.set(pod.key, pod);
        }
        for (const at of gone) {
          const pod = [...there.values()][at];
          if (pod === undefined) continue;
          index.remove(pod);
          there.delete(pod.key);
        }
        const found = [...index.candidates(asked)].map(({ key }) => key);
        expect(new Set(found).size).toBe(found.length);
        for (const pod of there.values())
          if (asked.some((selection) => isAbout(selection, pod))) expect(found).toContain(pod.key);
        for (const key of found) expect([...there.keys()]).toContain(key);
      }),
    );
  });

  test("are those of the rarest label of the first that it asks for", () => {
    const index = new SelectablePods<NamedPod>();
    for (let at = 0; at < 100; at++)
      index.add({
        key: `p${at}`,
        namespace: "one",
        labels: new Map([
          ["tier", "a"],
          ["app", `app-${at % 50}`],
        ]),
      });
    const selector = labelSelectorFromObject({ matchLabels: { tier: "a", app: "app-7" } });
    const asked = [{ selector, namespaces: new Set(["one"]), namespaceSelector: undefined }];
    expect([...index.candidates(asked)].map(({ key }) => key)).toEqual(["p7", "p57"]);
  });
});

interface RepellingPod {
  readonly key: string;
  readonly repels: readonly PodSelection[];
}

test("the pods that may keep another away are all those that do", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom("1", "2", "3"), fc.array(selections, { maxLength: 3 })), { maxLength: 6 }),
      pods,
      (some, others) => {
        const index = new RepellingPods<RepellingPod>();
        const there = new Map<string, RepellingPod>();
        for (const [key, repels] of some) {
          const before = there.get(key);
          if (before !== undefined) index.remove(before);
          const pod = { key, repels };
          index.add(pod);
          there.set(key, pod);
        }
        for (const other of others) {
          const found = [...index.candidates(other)];
          for (const pod of there.values())
            if (pod.repels.some((selection) => isAbout(selection, other))) expect(found).toContain(pod);
        }
        for (const pod of there.values()) index.remove(pod);
        // A selection of no namespace is about nothing, and is kept nowhere.
        expect(index.isEmpty).toBe(true);
      },
    ),
  );
});
