import { expect, test } from "vitest";
import type { Admission, AdmissionRequest } from "./contract/admission.ts";
import { context, openFixture, refusal } from "./fixture.suite.ts";
import { changedAtOnceBytesMax, suspendedBytesMax } from "./registry.ts";

/** About a megabyte: the limits here count bytes, and long values are read sooner than many. */
const large = { data: Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`k${at}`, "v".repeat(220)])) };

/** Plugins that never answer about objects with the label `hang` until `release` is called. */
function openHanging(phase: "mutate" | "validate") {
  const waiting: (() => void)[] = [];
  const hang = ({ object }: AdmissionRequest) => {
    if (object?.metadata.labels?.["hang"] === undefined) return undefined;
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  const admission: Admission = { mutate() {}, validate() {}, [phase]: hang };
  const release = () => {
    for (const go of waiting.splice(0)) go();
  };
  return { admission, waiting, release };
}

const labelled = (label: string) => (current: unknown) => {
  const { metadata, ...rest } = current as { metadata: object }; // it is there
  return { ...rest, metadata: { ...metadata, labels: { [label]: "x" } } };
};

for (const phase of ["mutate", "validate"] as const) {
  test(`while plugins that ${phase} hang on large objects, a thousand others write large and small ones`, async () => {
    const { admission, waiting, release } = openHanging(phase);
    const { registry, kinds, post } = await openFixture({ admission });
    const { note } = kinds;
    const ref = (name: string) => ({ namespace: "a", name });
    const hanging = ["h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7"];
    for (const name of [...hanging, "free"]) await post(note, { metadata: { name }, ...large });
    const size = registry.peek(note, ref("free"))?.bytes.length ?? 0;
    expect(hanging.length * size).toBeGreaterThan(changedAtOnceBytesMax);
    const hung = hanging.map((name) => registry.update(note, ref(name), labelled("hang"), context(), { retry: true }));
    await expect.poll(() => waiting.length).toBe(hanging.length);

    const small = Array.from({ length: 1_000 }, (_, at) => post(note, { metadata: { name: `s${at}` } }));
    const changed = [
      registry.update(note, ref("free"), labelled("a"), context()),
      // Not even the same object is locked.
      registry.update(note, ref("h0"), labelled("b"), context()),
    ];
    expect((await Promise.all([...small, ...changed])).length).toBe(1_002);
    expect(waiting.length).toBe(hanging.length);
    release();
    const outcomes = Promise.allSettled(hung);
    // The first has been overtaken and begins again.
    await expect.poll(() => waiting.length).toBe(1);
    release();
    expect((await outcomes).map(({ status }) => status)).toEqual(hanging.map(() => "fulfilled"));
    await registry.close();
  });
}

test("a limited number of large objects waits for plugins; further ones get 429", async () => {
  const { admission, waiting, release } = openHanging("mutate");
  const { registry, kinds, post } = await openFixture({ admission });
  const { note } = kinds;
  const big = { data: { k: "v".repeat(1_300_000) } };
  const fit = Math.floor(suspendedBytesMax / 1_300_000);
  const names = Array.from({ length: fit + 1 }, (_, at) => `n${at}`);
  for (const name of names) await post(note, { metadata: { name }, ...big });
  const change = (name: string) => registry.update(note, { namespace: "a", name }, labelled("hang"), context());
  const hung = names.slice(0, fit).map(change);
  await expect.poll(() => waiting.length).toBe(fit);
  expect(await refusal(change(`n${fit}`))).toMatchObject({ code: 429 });
  release();
  await Promise.all(hung);
  await registry.close();
});

test("a write whose caller leaves while plugins hang does not happen", async () => {
  const { admission, waiting, release } = openHanging("mutate");
  const { registry, kinds, post } = await openFixture({ admission });
  const caller = { gone: false, signal: new AbortController().signal, deadlineMs: Number.POSITIVE_INFINITY };
  const created = post(kinds.note, { metadata: { name: "x", labels: { hang: "x" } } }, "a", { caller });
  await expect.poll(() => waiting.length).toBe(1);
  caller.gone = true;
  release();
  await expect(created).rejects.toMatchObject({ reason: "Timeout" });
  expect(registry.peek(kinds.note, { namespace: "a", name: "x" })).toBeUndefined();
  await registry.close();
});
