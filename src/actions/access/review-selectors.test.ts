import { expect, test } from "vitest";
import { selectorTermsMax } from "../../machinery/selectors/limits.ts";
import { selectorErrors } from "./review-selectors.ts";

const requirements = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ key: `k${at}`, operator: "In", values: ["v"] }));

test("a review asks about as many requirements as a request may have", () => {
  expect(selectorErrors({ labelSelector: { requirements: requirements(selectorTermsMax) } })).toEqual([]);
  const [first, second, ...others] = selectorErrors({
    fieldSelector: { requirements: requirements(selectorTermsMax + 1) },
    labelSelector: { requirements: requirements(20_000) },
  });
  expect([first?.field, second?.field, others]).toEqual([
    "spec.resourceAttributes.fieldSelector.requirements",
    "spec.resourceAttributes.labelSelector.requirements",
    [],
  ]);
});
