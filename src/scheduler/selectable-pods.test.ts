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

/** Under its name a pod stays in its namespace. */
const keyOf = ({ namespace, key }: SelectablePod) => `${namespace}/${key}`;

describe("the pods that a selection may be about", () => {
  test("are all those that it selects, each once, whatever came and went before", () => {
    fc.assert(
      fc.property(pods, fc.array(selections, { maxLength: 3 }), fc.array(fc.nat(11)), (some, asked, gone) => {
        const index = new SelectablePods();
        const there = new Map<string, SelectablePod>();
        for (const one of some) {
          const pod = { ...one, key: keyOf(one) };
          index.replace(there.get(pod.key), pod);
          there.set(pod.key, pod);
        }
        for (const at of gone) {
          const pod = [...there.values()][at];
          if (pod === undefined) continue;
          index.replace(pod, undefined);
          there.delete(pod.key);
        }
        const found = [...index.candidates(asked)];
        expect(new Set(found).size).toBe(found.length);
        for (const pod of there.values())
          if (asked.some((selection) => isAbout(selection, pod))) expect(found).toContain(pod.key);
        for (const key of found) expect([...there.keys()]).toContain(key);
      }),
    );
  });

  test("are those of the rarest label of the first that it asks for", () => {
    const index = new SelectablePods();
    for (let at = 0; at < 100; at++)
      index.replace(undefined, {
        key: `p${at}`,
        namespace: "one",
        labels: new Map([
          ["tier", "a"],
          ["app", `app-${at % 50}`],
        ]),
      });
    const selector = labelSelectorFromObject({ matchLabels: { tier: "a", app: "app-7" } });
    const asked = [{ selector, namespaces: new Set(["one"]), namespaceSelector: undefined }];
    expect([...index.candidates(asked)]).toEqual(["p7", "p57"]);
  });
});

test("the pods that may keep another away are all those that do", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom("1", "2", "3"), fc.array(selections, { maxLength: 3 })), { maxLength: 6 }),
      pods,
      (some, others) => {
        const index = new RepellingPods();
        const there = new Map<string, readonly PodSelection[]>();
        for (const [key, repels] of some) {
          const before = there.get(key);
          index.replace(before && { key, repels: before }, repels.length === 0 ? undefined : { key, repels });
          if (repels.length === 0) there.delete(key);
          else there.set(key, repels);
        }
        for (const other of others) {
          const found = [...index.candidates(other)];
          for (const [key, repels] of there)
            if (repels.some((selection) => isAbout(selection, other))) expect(found).toContain(key);
        }
        for (const [key, repels] of there) index.replace({ key, repels }, undefined);
        // A selection of no namespace is about nothing, and is kept nowhere.
        expect(index.isEmpty).toBe(true);
      },
    ),
  );
});
