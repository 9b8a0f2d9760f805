import { expect, test } from "vitest";
import type { Steps } from "../base/time-slice.ts";
import type { FieldErrors } from "../machinery/status/field-error.ts";
import { refuseFound, type Write } from "./write-steps.ts";

/** Works longer than a time slice, and then finds nothing. */
function* slow(): Steps<FieldErrors> {
  const started = performance.now();
  while (performance.now() - started < 20);
  yield;
  return [];
}

// The members that the step reads.
const writeOf = (strategy: object) => ({ kind: { strategy }, slice: undefined }) as unknown as Write;

test("a small object of a kind that validates in steps does not hold others up", async () => {
  const pending = refuseFound(writeOf({ validateInSteps: slow }), slow());
  expect(pending).toBeInstanceOf(Promise);
  await pending;
});

test("a small object of any other kind is validated at once", () => {
  expect(refuseFound(writeOf({}), slow())).toBeUndefined();
});
