import { expect, test } from "vitest";
import type { Steps } from "../base/time-slice.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import type { FieldErrors } from "../machinery/status/field-error.ts";
import { admitAll } from "./contract/admission.ts";
import { Creation } from "./create-steps.ts";
import { context, sampleKinds } from "./fixture.suite.ts";
import { refuseFound } from "./write-steps.ts";

/** Works longer than a time slice, and then finds nothing. */
function* slow(): Steps<FieldErrors> {
  const started = performance.now();
  while (performance.now() - started < 20);
  yield;
  return [];
}

/** A create of a small object whose kind also has this. */
function writeOf(strategy: BoundKind["strategy"]): Creation {
  const environment = plainEnvironment();
  const note = createCatalog(sampleKinds, environment).byKind("", "v1", "Note")!;
  const object = decodeKind(note, { metadata: { namespace: "a", name: "x" } });
  const services = { admission: admitAll, ownership: undefined, allocators: new Map(), clock: environment.clock };
  const kind = { ...note, strategy: { ...note.strategy, ...strategy } };
  return new Creation(services, kind, object, { namespace: "a", name: "x" }, context());
}

test("a small object of a kind that validates in steps does not hold others up", async () => {
  const pending = refuseFound(writeOf({ validateInSteps: slow }), slow());
  expect(pending).toBeInstanceOf(Promise);
  await pending;
});

test("a small object of any other kind is validated at once", () => {
  expect(refuseFound(writeOf({}), slow())).toBeUndefined();
});
