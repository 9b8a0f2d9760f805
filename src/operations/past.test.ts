/** Taking changes back, for random objects: the last one gives the state before, and an older one keeps what others changed. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { restored, withFieldOf, withoutChange } from "./past.ts";

const name = fc.constantFrom("a", "b", "c", "constructor", "__proto__");
const value = fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer(), { maxLength: 3 }), fc.constant(null));
const part = fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value, { maxKeys: 3 })), { maxKeys: 4 });
const containers = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("web", "proxy", "log"),
    image: fc.constantFrom("a:1", "a:2"),
    args: fc.array(value, { maxLength: 2 }),
  }),
  { selector: ({ name }) => name },
);
const object = fc.record({
  metadata: fc.record({ name: fc.constant("x"), labels: fc.dictionary(name, fc.string(), { maxKeys: 3 }) }),
  spec: fc.oneof(part, fc.record({ containers })),
  status: part,
});
const plain = (one: unknown): unknown => JSON.parse(JSON.stringify(one));
/** What a person writes of it. The order of members has no meaning. */
const written = ({ spec, metadata }: Readonly<Record<string, unknown>>): unknown =>
  plain({ spec, labels: (metadata as { labels?: unknown }).labels });

test("the last change taken back is the state before it, with the status that there is now", () => {
  fc.assert(
    fc.property(object, object, (first, second) => {
      const [before, after] = [plain(first), plain(second)] as (typeof first)[];
      const { object: result, conflicts } = withoutChange({ before: before!, after: after!, now: after! });
      expect(conflicts).toEqual([]);
      expect(written(result)).toEqual(written(before!));
      expect(plain(result["status"])).toEqual(after!.status);
      expect(written(restored(after!, before!))).toEqual(written(before!));
    }),
  );
});

test("an older change taken back keeps what others changed since, or names what they changed again", () => {
  fc.assert(
    fc.property(part, part, part, (one, two, three) => {
      const state = (mine: object, theirs: object) =>
        plain({ metadata: { name: "x" }, spec: { mine, theirs } }) as { spec: { mine: object; theirs: object } };
      const [before, after, now] = [state(one, one), state(two, one), state(two, three)];
      const { object: result, conflicts } = withoutChange({ before, after, now });
      expect(conflicts).toEqual([]);
      expect(plain(result["spec"])).toEqual({ mine: before.spec.mine, theirs: now.spec.theirs });
      const again = withoutChange({ before, after, now: state({ ...two, z: 1 }, three) });
      expect(plain(again.object["spec"])).toMatchObject({ theirs: now.spec.theirs });
    }),
  );
  const text = (value: string) => ({ metadata: { name: "x" }, data: { key: value } });
  expect(withoutChange({ before: text("1"), after: text("2"), now: text("3") }).conflicts).toEqual(["data.key"]);
});

test("any sequence of changes taken back, the newest first, gives the state before it", () => {
  fc.assert(
    fc.property(fc.array(object, { minLength: 2, maxLength: 8 }), (states) => {
      const all = states.map(plain) as (typeof states)[number][];
      let now = all.at(-1)!;
      for (let at = all.length - 1; at > 0; at -= 1) {
        const undone = withoutChange({ before: all[at - 1]!, after: all[at]!, now });
        expect(undone.conflicts).toEqual([]);
        now = plain(undone.object) as typeof now;
        expect(written(now)).toEqual(written(all[at - 1]!));
      }
    }),
  );
});

test("a change of one item is taken back although others changed other items, and other fields of the same one", () => {
  const pod = (items: readonly object[]) => ({ metadata: { name: "x" }, spec: { containers: items } });
  const [web, proxy] = [
    { name: "web", image: "web:1" },
    { name: "proxy", image: "proxy:1" },
  ];
  const undo = (before: readonly object[], after: readonly object[], now: readonly object[]) => {
    const { object: result, conflicts } = withoutChange({ before: pod(before), after: pod(after), now: pod(now) });
    return { containers: (plain(result["spec"]) as { containers: unknown }).containers, conflicts };
  };
  const wrong = { ...web, image: "web:wrong" };
  expect(
    undo(
      [web, proxy],
      [wrong, proxy],
      [
        { ...wrong, tty: true },
        { ...proxy, image: "proxy:2" },
      ],
    ),
  ).toEqual({
    containers: [
      { ...web, tty: true },
      { ...proxy, image: "proxy:2" },
    ],
    conflicts: [],
  });
  // One that was removed is where it was, beside one that came since.
  expect(undo([web, proxy], [proxy], [proxy, { name: "log" }])).toEqual({
    containers: [web, proxy, { name: "log" }],
    conflicts: [],
  });
  expect(undo([proxy], [proxy, web], [proxy, web, { name: "log" }])).toEqual({
    containers: [proxy, { name: "log" }],
    conflicts: [],
  });
  expect(undo([web], [wrong], [{ ...web, image: "web:2" }]).conflicts).toEqual(["spec.containers[name=web].image"]);
  // Where nothing tells the items apart, the list is one value.
  expect(undo([{ image: "a" }], [{ image: "b" }], [{ image: "b" }, { image: "c" }]).conflicts).toEqual([
    "spec.containers",
  ]);
});

test("one field becomes what it was, and all others stay", () => {
  const object = (image: string, replicas: number, labels: object) => ({
    metadata: { name: "x", labels },
    spec: { replicas, template: { containers: [{ name: "log" }, { name: "web", image, tty: replicas > 1 }] } },
  });
  const [past, now] = [object("web:1", 1, { "a/b": "c" }), object("web:2", 5, { d: "e" })];
  const field = (path: string) => withFieldOf(now, past, path);
  expect(field("spec.replicas")).toEqual({ ...now, spec: { ...now.spec, replicas: 1 } });
  expect(field("spec.template.containers[name=web].image")).toEqual({
    ...now,
    spec: { ...now.spec, template: { containers: [{ name: "log" }, { name: "web", image: "web:1", tty: true }] } },
  });
  expect(field("metadata.labels['a/b']")).toEqual({ ...now, metadata: { name: "x", labels: { d: "e", "a/b": "c" } } });
  expect(field("metadata.labels.d")).toEqual({ ...now, metadata: { name: "x", labels: {} } });
  expect(withFieldOf({ spec: { items: [] } }, { spec: { items: [{ name: "a" }] } }, "spec.items[name=a]")).toEqual({
    spec: { items: [{ name: "a" }] },
  });
  for (const path of [
    "spec.unknown",
    "spec.replicas.deep",
    "",
    "spec[0]",
    "spec..x",
    "spec.template.containers[name=no].image",
    "spec.template.containers[name=web].no",
  ])
    expect(field(path), path).toBeUndefined();
  // A field of a value that came since goes with nothing else.
  fc.assert(
    fc.property(part, part, (one, two) => {
      const [was, is] = [plain({ spec: one, x: 1 }), plain({ spec: two, x: 2 })] as { spec: object; x: number }[];
      expect(plain(withFieldOf(is!, was!, "spec"))).toEqual({ spec: was!.spec, x: 2 });
    }),
  );
});
