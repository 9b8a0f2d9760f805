import { expect, test } from "vitest";
import { bodyBytesMax } from "../machinery/json/json-gate.ts";
import { context, openFixture, refusal } from "./fixture.suite.ts";
import { changedAtOnceBytesMax } from "./registry.ts";
import { changesPendingBytesMax } from "./update.ts";

const large = { data: Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`k${at}`, "v"])) };
/** About as many bytes in fewer keys, for limits that count bytes. */
const heavy = { data: Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`k${at}`, "v".repeat(220)])) };
const bytes = 1_000_000;

/** How often other work got the event loop while the work was in progress. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let slice = 0;
  let isOver = false;
  const count = () => {
    slice++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return slice;
}

test("a large object is created and changed in time slices", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  const { note } = kinds;
  const created = await turnsDuring(post(note, { metadata: { name: "x" }, ...large }, "a", { bytes }));
  const changed = await turnsDuring(replace(note, { metadata: { name: "x" }, ...large }, "a", { bytes }));
  const small = await turnsDuring(post(note, { metadata: { name: "y" } }));
  expect(Math.min(created, changed)).toBeGreaterThan(small);
  await registry.close();
});

test("a small change of a large object runs in time slices", async () => {
  const { registry, kinds, post } = await openFixture();
  const { note } = kinds;
  await post(note, { metadata: { name: "x" }, ...large });
  const change = (current: unknown) => {
    const { metadata, ...rest } = current as { metadata: object }; // it is there
    return { ...rest, metadata: { ...metadata, annotations: { a: "b" } } };
  };
  const work = registry.update(note, { namespace: "a", name: "x" }, change, context());
  const changed = await turnsDuring(work);
  expect(changed).toBeGreaterThan(await turnsDuring(post(note, { metadata: { name: "y" } })));
  await registry.close();
});

test("an update that leaves a large object as it is compares in time slices", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  const { note } = kinds;
  const { entry } = await post(note, { metadata: { name: "x" }, ...large }, "a", { bytes });
  const again = replace(note, { metadata: { name: "x" }, ...large }, "a", { bytes });
  expect(await turnsDuring(again)).toBeGreaterThan(await turnsDuring(post(note, { metadata: { name: "y" } })));
  expect((await again).entry.revision).toBe(entry.revision);
  await registry.close();
});

test("an object that defaulting made larger than any body is refused before it is validated", async () => {
  const { registry, kinds, post } = await openFixture();
  const body = { metadata: { name: "NOT VALID", annotations: { a: "x".repeat(bodyBytesMax) } } };
  expect(await refusal(post(kinds.note, body, "a", { bytes }))).toMatchObject({ code: 413 });
  await registry.close();
});

test("a large collection is deleted in time slices", async () => {
  const { registry, kinds, post } = await openFixture();
  for (let at = 0; at < 2_000; at++) await post(kinds.note, { metadata: { name: `n${at}` } });
  for (const dryRun of [true, false]) {
    const query = { namespace: "a" };
    const slice = await turnsDuring(registry.deleteCollection(kinds.note, query, {}, context({ dryRun })));
    const { entries } = await registry.list(kinds.note, query);
    expect([slice > 1, entries.length]).toEqual([true, dryRun ? 2_000 : 0]);
  }
  await registry.close();
});

test("a collection of a few large objects is deleted in time slices, although several are deleted at once", async () => {
  const { registry, kinds, post } = await openFixture();
  for (let at = 0; at < 10; at++) await post(kinds.note, { metadata: { name: `n${at}` }, ...large });
  const left = () => [...registry.peekAll(kinds.note)].length;
  const seen = new Set<number>();
  let isOver = false;
  const look = () => {
    seen.add(left());
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await registry.deleteCollection(kinds.note, { namespace: "a" }, {}, context());
  isOver = true;
  expect([left(), seen.size > 4]).toEqual([0, true]);
  await registry.close();
});

test("changes of one large object wait for each other instead of causing conflicts", async () => {
  const { registry, kinds, post } = await openFixture();
  const { note } = kinds;
  const { entry: first } = await post(note, { metadata: { name: "x" }, ...heavy });
  const count = Math.ceil(changesPendingBytesMax / first.bytes.length); // more would be refused
  let changes = 0;
  const changed = Array.from({ length: count }, (_, at) =>
    registry.update(
      note,
      { namespace: "a", name: "x" },
      (current) => {
        changes++;
        const { metadata, ...rest } = current as { metadata: { annotations?: object } }; // it is there
        const annotations = { ...metadata.annotations, [`a${at}`]: "b" };
        return { ...rest, metadata: { ...metadata, annotations } };
      },
      context(),
      { retry: true },
    ),
  );
  await Promise.all(changed);
  const { entry } = await changed.at(-1)!;
  expect([changes, Object.keys(entry.object().metadata.annotations ?? {}).length]).toEqual([count, count]);
  await registry.close();
});

test("the number of large objects that are changed at once is limited; the others wait, small ones do not", async () => {
  const { registry, kinds, post } = await openFixture();
  const { note } = kinds;
  const ref = (at: number) => ({ namespace: "a", name: `n${at}` });
  const { entry } = await post(note, { metadata: { name: "n0" }, ...heavy });
  const fit = Math.floor(changedAtOnceBytesMax / entry.bytes.length);
  const count = fit + 3;
  for (let at = 1; at < count; at++) await post(note, { metadata: { name: `n${at}` }, ...heavy });
  await post(note, { metadata: { name: "small" } });

  const patient = { timeout: 30_000 };
  let running = 0;
  let most = 0;
  const gates: (() => void)[] = [];
  const change = async (current: unknown) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => gates.push(resolve));
    running--;
    const { metadata, ...rest } = current as { metadata: object }; // it is there
    return { ...rest, metadata: { ...metadata, annotations: { a: "b" } } };
  };
  const changes = Array.from({ length: count }, (_, at) => registry.update(note, ref(at), change, context()));
  await expect.poll(() => running, patient).toBe(fit);
  const small = registry.update(note, { namespace: "a", name: "small" }, change, context());
  await expect.poll(() => running, patient).toBe(fit + 1);
  const all = Promise.all([...changes, small]);
  for (let done = 0; done <= count; done++) {
    await expect.poll(() => gates.length, patient).toBeGreaterThan(0);
    gates.shift()?.();
  }
  expect([(await all).length, most]).toEqual([count + 1, fit + 1]);
  await registry.close();
});

test("several applies of a large object that does not exist yet wait for each other, up to the same limit", async () => {
  const { registry, kinds } = await openFixture();
  const { note } = kinds;
  const bytes = Buffer.byteLength(JSON.stringify(heavy));
  const waitingMax = Math.ceil(changesPendingBytesMax / bytes);
  let changes = 0;
  const change = (current: unknown) => {
    changes++;
    const { metadata = { name: "new" }, ...rest } = (current ?? heavy) as { metadata?: object };
    return { ...rest, metadata: { ...metadata, labels: { n: String(changes) } } };
  };
  const options = { retry: true, createIfMissing: true };
  const all = Array.from({ length: waitingMax + 5 }, () =>
    registry.update(note, { namespace: "a", name: "new" }, change, { ...context(), bytes }, options).then(
      ({ created }) => created,
      (error: { code?: number }) => error.code,
    ),
  );
  const outcomes = await Promise.all(all);
  expect(outcomes.filter((outcome) => outcome === true)).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 429)).toHaveLength(5);
  // None of them had to start again.
  expect(changes).toBe(waitingMax);
  await registry.close();
});

test("the number of waiting changes of one large object is limited; the others are refused at once and can be retried", async () => {
  const { registry, kinds, post } = await openFixture();
  const { note } = kinds;
  const { entry } = await post(note, { metadata: { name: "x" }, ...heavy });
  const waitingMax = Math.ceil(changesPendingBytesMax / entry.bytes.length);
  const change = (current: unknown) => {
    const object = current as { metadata: { labels?: Record<string, string> } };
    return { ...object, metadata: { ...object.metadata, labels: { n: "1" } } };
  };
  const ref = { namespace: "a", name: "x" };
  const all = Array.from({ length: waitingMax + 20 }, () =>
    registry.update(note, ref, change, context(), { retry: true }).then(
      () => 200,
      (error: { code?: number }) => error.code,
    ),
  );
  const codes = await Promise.all(all);
  expect(codes.filter((code) => code === 200)).toHaveLength(waitingMax);
  expect(codes.filter((code) => code === 429)).toHaveLength(20);
  expect(await registry.update(note, ref, change, context(), { retry: true })).toMatchObject({ created: false });
  await registry.close();
});
