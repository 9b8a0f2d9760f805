/** Writes whose caller has left before they were done. */

import { afterEach, describe, expect, test } from "vitest";
import type { Kv } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { type Admission, admitAll } from "./contract/admission.ts";
import type { Caller } from "./contract/write-context.ts";
import { context, type Fixture, openFixture, settled } from "./fixture.suite.ts";

let close = async (): Promise<void> => {};
afterEach(() => close());

class TestAsker implements Caller {
  readonly deadlineMs = Number.POSITIVE_INFINITY;
  readonly #abort = new AbortController();
  get gone(): boolean {
    return this.signal.aborted;
  }
  get signal(): AbortSignal {
    return this.#abort.signal;
  }
  leave(): void {
    this.#abort.abort();
  }
}

/** A registry whose caller disconnects while `at` is in progress. */
async function openLeaving(at: "mutate" | "validate") {
  const caller = new TestAsker();
  let isArmed = false;
  const leave = async () => {
    await settled();
    if (isArmed) caller.leave();
  };
  const admission: Admission = { ...admitAll, [at]: leave };
  const fixture = await openFixture({ admission });
  close = () => fixture.registry.close();
  const { kinds, post, registry } = fixture;
  await post(kinds.note, { metadata: { name: "old" }, data: { text: "as it was" } });
  await post(kinds.note, { metadata: { name: "kept", finalizers: ["a.b/c"] } });
  isArmed = true;
  return { ...fixture, caller, state: () => stateOf(registry, kinds) };
}

/** Everything that is stored, with versions. */
async function stateOf(registry: Fixture["registry"], kinds: Fixture["kinds"]): Promise<string[]> {
  const { entries } = await registry.list(kinds.note, { namespace: "" });
  return entries.map(({ bytes }) => bytes.toString("utf8"));
}

type Write = (fixture: Fixture, caller: Caller) => Promise<unknown>;

const writes: Readonly<Record<string, Write>> = {
  create: ({ kinds, post }, caller) => post(kinds.note, { metadata: { name: "new" } }, "a", { caller }),
  update: ({ kinds, replace }, caller) =>
    replace(kinds.note, { metadata: { name: "old" }, data: { text: "changed" } }, "a", { caller }),
  delete: ({ kinds, registry }, caller) =>
    registry.delete(kinds.note, { namespace: "a", name: "old" }, {}, context({ caller })),
  "delete that only marks": ({ kinds, registry }, caller) =>
    registry.delete(kinds.note, { namespace: "a", name: "kept" }, {}, context({ caller })),
  "delete of the collection": ({ kinds, registry }, caller) =>
    registry.deleteCollection(kinds.note, { namespace: "a" }, {}, context({ caller })),
};

for (const at of ["mutate", "validate"] as const) {
  describe(`when the caller leaves during the ${at} step of admission`, () => {
    for (const [name, write] of Object.entries(writes)) {
      test(`a ${name} does not happen`, async () => {
        const fixture = await openLeaving(at);
        const before = await fixture.state();
        await expect(write(fixture, fixture.caller)).rejects.toMatchObject({ reason: "Timeout" });
        expect(await fixture.state()).toEqual(before);
      });
    }
  });
}

test("a write whose caller left before it began is not even admitted", async () => {
  let asked = 0;
  const count = async () => {
    asked++;
  };
  const fixture = await openFixture({ admission: { ...admitAll, mutate: count, validate: count } });
  close = () => fixture.registry.close();
  await fixture.post(fixture.kinds.note, { metadata: { name: "old" } });
  asked = 0;
  const caller = new TestAsker();
  caller.leave();
  for (const name of ["update", "delete", "delete of the collection"]) {
    await expect(writes[name]?.(fixture, caller)).rejects.toMatchObject({ reason: "Timeout" });
  }
  expect(asked).toBe(0);
});

test("a write that the store has received is not undone", async () => {
  const caller = new TestAsker();
  const inner = createMemoryKv();
  const put: Kv["put"] = async (...given) => {
    const written = inner.put(...given);
    caller.leave();
    await settled();
    return written;
  };
  const slow = new Proxy(inner, {
    get(target, key) {
      const member: unknown = key === "put" ? put : Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const fixture = await openFixture({ kv: slow, continueKey: Buffer.alloc(32) });
  close = () => fixture.registry.close();
  const { entry } = await fixture.post(fixture.kinds.note, { metadata: { name: "new" } }, "a", { caller });
  expect([caller.gone, entry.name]).toEqual([true, "new"]);
  expect(await stateOf(fixture.registry, fixture.kinds)).toHaveLength(1);
});
