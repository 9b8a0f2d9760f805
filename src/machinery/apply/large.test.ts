/** Objects with tens of thousands of fields: applied and tracked in time slices, with the same outcome. */

import { expect, test, vi } from "vitest";
import { finish, inTimeSlices, run, type Steps, TimeSlice } from "../../base/time-slice.ts";
import { decodeKind } from "../schema/decode-kind.ts";
import { membersMax } from "../schema/decode-tally.ts";
import type { ApiObject } from "../schema/kind.ts";
import { StatusError } from "../status/status.ts";
import type { ApplyOptions } from "./apply.ts";
import { applyConfiguration, applySteps } from "./apply.ts";
import { conflictCausesMax } from "./conflict.ts";
import { createOwnership } from "./ownership.ts";
import { sample, sampleBeta } from "./sample-kind.suite.ts";

const colors = (prefix: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, "v"]));

const apply = (more: Partial<ApplyOptions>): ApplyOptions => ({
  kind: sample,
  live: undefined,
  applied: {},
  manager: "m",
  force: false,
  subresource: "",
  now: "2021-04-08T00:00:00Z",
  ...more,
});
const configuration = (spec: Record<string, unknown>) => ({
  apiVersion: sample.apiVersion,
  kind: sample.kind,
  metadata: { name: "a" },
  spec,
});

function* nothing(): Steps<void> {}

/** How often other work got the event loop while the work was in progress. */
async function turnsDuring<T>(work: () => T | Promise<T>): Promise<[slice: number, outcome: T]> {
  let slice = 0;
  const counting = setInterval(() => slice++, 0);
  const outcome = await work();
  clearInterval(counting);
  return [slice, outcome];
}

test("an apply in time slices has the same result as one at once", async () => {
  const first = configuration({ colors: colors("a", 20_000) });
  const [slice, live] = await turnsDuring(() => inTimeSlices(applySteps(apply({ applied: first }))));
  expect(live).toEqual(applyConfiguration(apply({ applied: first })));
  const second = configuration({ colors: colors("b", 20_000) });
  const [more, next] = await turnsDuring(() => inTimeSlices(applySteps(apply({ live, applied: second }))));
  expect(next).toEqual(applyConfiguration(apply({ live, applied: second })));
  expect(next["spec"]).toMatchObject({ colors: colors("b", 20_000) });
  expect([slice, more].every((count) => count > 0)).toBe(true);
});

test("a conflict in tens of thousands of fields shows the first ones, and counts all", async () => {
  const count = 20_000;
  const live = applyConfiguration(apply({ applied: configuration({ colors: colors("a", count) }) }));
  const changed = Object.fromEntries(Object.keys(colors("a", count)).map((key) => [key, "w"]));
  const other = apply({ live, applied: configuration({ colors: changed }), manager: "other" });
  const refused = await inTimeSlices(applySteps(other)).catch((error: unknown) => error);
  if (!(refused instanceof StatusError)) throw new Error("there is no conflict");
  expect(refused.message).toContain(`Apply failed with ${count} conflicts: conflicts with "m":\n- .spec.colors.a0\n`);
  expect(refused.message).toMatch(new RegExp(`\\nand ${count + 1 - 20} more$`));
  expect(refused.message.length).toBeLessThan(2_000);
  expect(refused.details?.causes).toHaveLength(conflictCausesMax);
});

test("a conflict and a malformed configuration are also refused in time slices", async () => {
  const live = applyConfiguration(apply({ applied: configuration({ replicas: 1 }) }));
  const other = apply({ live, applied: configuration({ replicas: 2 }), manager: "other" });
  await expect(inTimeSlices(applySteps(other))).rejects.toMatchObject({ code: 409 });
  await expect(inTimeSlices(applySteps(apply({ applied: configuration({ unknown: 1 }) })))).rejects.toMatchObject({
    code: 400,
  });
});

test("a manager in another version makes one conversion in a step", () => {
  const track = (next: ApiObject, live: ApiObject | undefined, kind = sample) => {
    const now = "2021-04-08T00:00:00Z";
    return createOwnership().track(
      { kind, live, next, manager: `m of ${kind.apiVersion}`, subresource: "", now },
      true,
    );
  };
  const object = (count: number) => decodeKind(sample, configuration({ colors: colors("a", count) }));
  const beta = sampleBeta.fromHub(sample.toHub(object(100)));
  finish(track(beta, undefined, sampleBeta) ?? nothing());
  const live = { ...object(100), metadata: { ...beta.metadata } };
  const converting = vi.spyOn(sampleBeta, "fromHubInSteps");
  const conversions: number[] = [];
  for (const _ of track(object(101), live) ?? nothing()) conversions.push(converting.mock.calls.length);
  converting.mockRestore();
  expect(conversions.at(-1)).toBe(2);
  expect(conversions).toContain(1);
});

test("what an apply omits beside a manager in another version is found with one conversion in a step", () => {
  const mine = apply({ applied: configuration({ colors: colors("a", 100), replicas: 1 }) });
  const theirs = { ...configuration({ colors: colors("b", 100) }), apiVersion: sampleBeta.apiVersion };
  const beta = sampleBeta.fromHub(applyConfiguration(mine));
  const live = sampleBeta.toHub(
    applyConfiguration(apply({ kind: sampleBeta, live: beta, applied: theirs, manager: "o" })),
  );
  const next = apply({ live, applied: configuration({ colors: colors("a", 50) }) });
  const converting = [vi.spyOn(sampleBeta, "fromHubInSteps"), vi.spyOn(sampleBeta, "toHubInSteps")];
  const conversions = () => converting.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const counts: number[] = [0];
  for (const _ of applySteps(next)) counts.push(conversions());
  for (const spy of converting) spy.mockRestore();
  expect(counts.at(-1)).toBeGreaterThan(3);
  expect(counts.slice(1).every((count, at) => count - counts[at]! <= 1)).toBe(true);
});

test("an update tracked in time slices has the same managed fields as one at once", async () => {
  const object = (prefix: string) => decodeKind(sample, configuration({ colors: colors(prefix, 20_000) }));
  const track = (next: ReturnType<typeof object>, live: typeof next | undefined, slice?: TimeSlice) => {
    const change = { kind: sample, live, next, manager: "m", subresource: "", now: "2021-04-08T00:00:00Z" };
    const steps = createOwnership().track(change, slice !== undefined);
    return steps && run(steps, slice);
  };
  const live = object("a");
  track(live, undefined);
  const [atOnce, sliced] = [object("b"), object("b")];
  track(atOnce, live);
  const [slice] = await turnsDuring(() => track(sliced, live, new TimeSlice()));
  expect([sliced, slice > 0]).toEqual([atOnce, true]);
});

test("a configuration has the same limit of members as any object", () => {
  const refusal = expect.objectContaining({ code: 413 });
  const half = membersMax / 2;
  const words = Array.from({ length: half }, (_, at) => `${at}`);
  const within = configuration({ colors: colors("a", half), words });
  expect(() => applyConfiguration(apply({ applied: within }))).not.toThrow();
  const beyond = configuration({ colors: colors("a", half), words: [...words, "one more"] });
  expect(() => applyConfiguration(apply({ applied: beyond }))).toThrow(refusal);
});
