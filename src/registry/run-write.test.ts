/** Kinds with a strategy: they do something beyond their own object. */

import { describe, expect, test } from "vitest";
import { OutcomeUnknown } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { familyIdOf } from "../machinery/schema/identity.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { Admission } from "./contract/admission.ts";
import type { Allocator } from "./contract/allocator.ts";
import { context, openFixture, refusal, sampleKinds } from "./fixture.suite.ts";

/** Records its calls. */
function recorder(log: string[]): Allocator {
  return {
    async begin({ object, old, dryRun }) {
      const name = object.metadata.name ?? "";
      log.push(`begin ${name}${old === undefined ? "" : " again"}${dryRun ? " dry" : ""}`);
      object.metadata.labels = { ...object.metadata.labels, given: "yes" };
      return {
        async stored() {
          log.push(`stored ${name}`);
        },
        async failed() {
          log.push(`failed ${name}`);
        },
      };
    },
    async end(object) {
      log.push(`end ${object.metadata.name}`);
    },
  };
}

const notes = familyIdOf(sampleKinds[0]!);
const allocators = (log: string[]) => new Map([[notes, recorder(log)]]);

describe("a strategy", () => {
  test("fills in an object before it is stored, and is notified of the outcome", async () => {
    const log: string[] = [];
    const { post, replace, registry, kinds } = await openFixture({ allocators: allocators(log) });
    const { entry } = await post(kinds.note, { metadata: { name: "x" } });
    expect(entry.object().metadata.labels).toEqual({ given: "yes" });
    await refusal(post(kinds.note, { metadata: { name: "x" } }));
    await replace(kinds.note, { metadata: { name: "x" } });
    await registry.delete(kinds.note, { namespace: "a", name: "x" }, {}, context());
    expect(log).toEqual(["begin x", "stored x", "begin x", "failed x", "begin x again", "stored x", "end x"]);
    await registry.close();
  });

  test("may refuse, and is not called for other kinds", async () => {
    const refuse: Allocator = {
      begin: () => Promise.reject(new StatusError("Forbidden", "no")),
      end: () => Promise.resolve(),
    };
    const { post, registry, kinds } = await openFixture({ allocators: new Map([[notes, refuse]]) });
    expect(await refusal(post(kinds.note, { metadata: { name: "x" } }))).toMatchObject({ code: 403 });
    await post(kinds.rule, { metadata: { name: "x" } });
    await registry.close();
  });

  test("is not notified of a failure if the outcome is unknown", async () => {
    const log: string[] = [];
    const kv = createMemoryKv();
    const { post, registry, kinds } = await openFixture({ kv, allocators: allocators(log) });
    const { put } = kv;
    kv.put = async (key, ...rest) => {
      if (key.startsWith("/")) throw new OutcomeUnknown(key);
      return put.call(kv, key, ...rest);
    };
    expect(await refusal(post(kinds.note, { metadata: { name: "x" } }))).toMatchObject({ code: 504 });
    expect(log).toEqual(["begin x"]);
    await registry.close();
  });
});

describe("plugins that reserved something for a write", () => {
  const outcomes: string[] = [];
  const admission: Admission = {
    mutate: () => undefined,
    validate(request) {
      request.onOutcome(async (outcome) => void outcomes.push(`${request.operation} ${outcome}`));
      if (request.object?.metadata.labels?.["bad"]) throw new StatusError("Forbidden", "no");
    },
  };

  test("are notified whether it was stored, refused by others, or failed", async () => {
    const { post, replace, registry, kinds } = await openFixture({ admission });
    await post(kinds.note, { metadata: { name: "x" } });
    await refusal(post(kinds.note, { metadata: { name: "x" } }));
    await refusal(post(kinds.note, { metadata: { name: "y", labels: { bad: "yes" } } }));
    await replace(kinds.note, { metadata: { name: "x", labels: { a: "b" } } });
    expect(outcomes).toEqual(["CREATE stored", "CREATE failed", "CREATE failed", "UPDATE stored"]);
    await registry.close();
  });
});
