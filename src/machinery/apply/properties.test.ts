/** Properties of apply that hold for every configuration. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import type { Schema } from "../schema/schema.ts";
import { compare, isSame } from "./compare.ts";
import { droppedFields } from "./dropped.ts";
import type { FieldSet } from "./field-set.ts";
import {
  difference,
  equalSets,
  intersection,
  isEmpty,
  pathsOf,
  recursiveDifference,
  setOfPaths,
  union,
  unionOf,
} from "./field-set.ts";
import { merge } from "./merge.ts";
import { withDeclaredMembers } from "./reconcile.ts";
import { removeItems } from "./remove.ts";
import { SampleServer, sample } from "./sample-kind.suite.ts";
import { toFieldSet } from "./to-field-set.ts";
import { fieldOf, showPath } from "./token.ts";
import { listPlan, memberSchema } from "./topology.ts";

type Config = Record<string, unknown>;
const managers = fc.constantFrom("m1", "m2", "m3", "u1");

/** A configuration whose maps, sets and keyed lists use `names`, with the fields of `whole` as well. */
function configOf(names: readonly string[], whole: readonly string[]): fc.Arbitrary<Config> {
  const name = fc.constantFrom(...names);
  const value = fc.constantFrom("1", "2", "3");
  const map = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 });
  const values = fc.uniqueArray(name, { minLength: 1, maxLength: 3 });
  const keyed = <T extends Config>(item: fc.Arbitrary<T>, key: (item: T) => string) =>
    fc.uniqueArray(item, { minLength: 1, maxLength: 3, selector: key });
  const port = fc.record(
    { port: fc.constantFrom(80, 443), protocol: fc.constantFrom("TCP", "UDP"), name: value },
    { requiredKeys: ["port"] },
  );
  const part = fc.record(
    {
      name,
      image: value,
      policy: value,
      args: values,
      env: keyed(fc.record({ name, value }), (item) => item.name),
      ports: keyed(port, (item) => `${item.port} ${item["protocol"] ?? "TCP"}`),
      limits: map,
    },
    { requiredKeys: ["name"] },
  );
  const all: Record<string, fc.Arbitrary<unknown>> = {
    replicas: fc.integer({ min: 1, max: 3 }),
    paused: fc.constant(true),
    selector: fc.record({ match: map }),
    parts: keyed(part, (item) => item.name),
    words: values,
    atoms: values,
    colors: map,
    whole: map,
    nested: fc.record({ a: value, b: value }, { requiredKeys: ["a"] }),
    raw: fc.record({ x: fc.constantFrom(1, 2) }),
  };
  const always = ["parts", "words", "colors"];
  const chosen = Object.fromEntries(Object.entries(all).filter(([key]) => always.includes(key) || whole.includes(key)));
  const spec = fc.record(chosen, { requiredKeys: [] });
  return fc.record({ spec, metadata: fc.record({ labels: map, annotations: map }, { requiredKeys: [] }) });
}

const everything = ["replicas", "paused", "selector", "atoms", "whole", "nested", "raw"];
const config = configOf(["a", "b", "c"], everything);
const left = configOf(["a", "b"], ["replicas", "selector", "atoms"]);
const right = configOf(["x", "y"], ["paused", "whole", "nested", "raw"]);

type Write = { readonly how: "apply" | "put" | "merge"; readonly manager: string; readonly config: Config };
const write: fc.Arbitrary<Write> = fc.record({
  how: fc.constantFrom("apply", "put", "merge"),
  manager: managers,
  config,
});
const writes = fc.array(write, { maxLength: 6 });

function perform(server: SampleServer, { how, manager, config: given }: Write): void {
  if (how === "apply") server.apply(manager, given, { force: true });
  else if (how === "put" || server.live === undefined) server.put(manager, given);
  else server.mergePatch(manager, given);
}

function written(history: readonly Write[]): SampleServer {
  const server = new SampleServer();
  for (const one of history) perform(server, one);
  return server;
}

const setsOf = (server: SampleServer) => Object.values(server.owners()) as FieldSet[]; // fieldsV1 are sets

describe("apply", () => {
  test("is idempotent", () => {
    fc.assert(
      fc.property(writes, config, (history, given) => {
        const server = written(history);
        const once = server.apply("m1", given, { force: true });
        expect(server.apply("m1", given)).toEqual(once);
      }),
    );
  });

  test("never conflicts between managers that set different fields", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), left, right), { maxLength: 6 }), (applies) => {
        const server = new SampleServer();
        for (const [isLeft, a, b] of applies) {
          if (isLeft) server.apply("m1", a);
          else server.apply("m2", b);
        }
      }),
    );
  });

  test("succeeds by force, sets every value in it, and owns it", () => {
    fc.assert(
      fc.property(writes, config, (history, given) => {
        const server = written(history);
        server.apply("m9", given, { force: true });
        const applied = { metadata: given["metadata"], spec: given["spec"] };
        const { modified, added } = compare(sample.schema, server.live, merge(sample.schema, server.live, applied));
        expect([modified, added]).toEqual([{}, {}]);
        const owned = server.owners()["m9 Apply v1"] as FieldSet | undefined;
        expect(equalSets(owned ?? {}, difference(toFieldSet(sample.schema, applied), { "f:metadata": {} }))).toBe(true);
      }),
    );
  });

  test("leaves the object as it was when the manager gives up all its fields", () => {
    fc.assert(
      fc.property(left, right, (base, given) => {
        const server = new SampleServer();
        server.put("u1", base);
        const before = server.live;
        server.apply("m1", given);
        server.apply("m1", {});
        expect(server.spec()).toEqual((before as Config)["spec"]);
        expect(server.live?.metadata.labels).toEqual(before?.metadata.labels);
        expect(server.owners()).not.toHaveProperty("m1 Apply v1");
      }),
    );
  });

  test("that is refused changes nothing", () => {
    fc.assert(
      fc.property(writes, config, (history, given) => {
        const server = written(history);
        const before = server.live;
        try {
          server.apply("m1", given);
        } catch {
          expect(server.live).toBe(before);
        }
      }),
    );
  });
});

describe("the fields that an apply drops", () => {
  const { topology } = sample.codec;
  const some = fc.infiniteStream(fc.boolean());
  const setOf = (given: Config): FieldSet => toFieldSet(topology, { spec: given["spec"], metadata: given["metadata"] });
  /** Of the paths of the set those that the stream has true for. */
  const part = (set: FieldSet, picks: Iterator<boolean>): FieldSet =>
    setOfPaths([...pathsOf(set)].filter(() => picks.next().value));

  test("are those that sets of the whole object give", () => {
    fc.assert(
      fc.property(writes, config, config, config, some, (history, earlier, other, applied, picks) => {
        const value = merge(topology, merge(topology, written(history).live ?? {}, earlier), applied);
        const former = part(union(setOf(earlier), setOf(applied)), picks);
        const owners = [setOf(applied), part(setOf(other), picks), part(setOf(earlier), picks)];
        const omitted = difference(former, setOf(applied));
        const dropped = finish(droppedFields({ schema: topology, value, former, omitted, owners }));
        expect(dropped).toEqual(droppedOfWhole(value, former, owners));
      }),
    );
  });

  /** All that is left without `former` and what has an owner; what is below something that is not left goes as well. */
  function droppedOfWhole(value: unknown, former: FieldSet, owners: readonly FieldSet[]): FieldSet {
    const last = withDeclaredMembers(topology, former);
    const all = withDeclaredMembers(topology, toFieldSet(topology, value));
    const left = union(recursiveDifference(all, last), withDeclaredMembers(topology, unionOf(owners)));
    const kept = recursiveDifference(all, difference(all, left));
    return intersection(difference(all, kept), last);
  }
});

describe("managed fields", () => {
  test("name no field that the object lacks", () => {
    fc.assert(
      fc.property(writes, (history) => {
        const server = written(history);
        for (const set of setsOf(server)) {
          for (const path of pathsOf(set)) {
            if (!has(sample.schema, server.live, path)) expect.unreachable(`${showPath(path)} is not there`);
          }
        }
      }),
    );
  });

  test("name every field that a manager set and no other manager has changed since", () => {
    fc.assert(
      fc.property(writes, config, (history, given) => {
        const server = written(history);
        const before = server.live;
        if (before === undefined || before.metadata.managedFields === undefined) return;
        server.mergePatch("last", given);
        const { added, modified } = compare(sample.schema, before, server.live);
        const changed = difference(union(added, modified), { "f:metadata": { "f:managedFields": {} } });
        const owned = (server.owners()["last Update v1"] ?? {}) as FieldSet; // fieldsV1 are sets
        expect(equalSets(owned, changed)).toBe(true);
        for (const [owner, set] of Object.entries(server.owners())) {
          if (owner !== "last Update v1") expect(isEmpty(intersection(set as FieldSet, changed))).toBe(true);
        }
      }),
    );
  });
});

describe("values", () => {
  const spec = (given: Config) => ({ spec: given["spec"] });

  test("merged with themselves do not change, and a comparison agrees with merging", () => {
    fc.assert(
      fc.property(config, config, (a, b) => {
        const [one, other] = [spec(a), spec(b)];
        expect(isSame(compare(sample.schema, one, merge(sample.schema, one, one)))).toBe(true);
        const merged = merge(sample.schema, one, other);
        expect(isEmpty(compare(sample.schema, one, merged).removed)).toBe(true);
        expect(isSame(compare(sample.schema, merged, merge(sample.schema, merged, other)))).toBe(true);
      }),
    );
  });

  test("are unchanged after an added set is removed again", () => {
    fc.assert(
      fc.property(config, config, (a, b) => {
        const [one, other] = [spec(a), spec(b)];
        const merged = merge(sample.schema, one, other);
        const { added, modified } = compare(sample.schema, one, merged);
        if (!isEmpty(modified)) return;
        const back = compare(sample.schema, one, removeItems(sample.schema, merged, added));
        expect(isEmpty(back.removed) && isEmpty(back.modified)).toBe(true);
      }),
    );
  });
});

/** Whether the path leads to something in the value. */
function has(schema: Schema, value: unknown, path: readonly string[]): boolean {
  const [token, ...rest] = path;
  if (token === undefined) return value !== undefined;
  const name = fieldOf(token);
  if (name !== undefined) {
    return isObject(value) && Object.hasOwn(value, name) && has(memberSchema(schema, name), value[name], rest);
  }
  if (schema.type !== "list" || !Array.isArray(value)) return false;
  const plan = listPlan(schema);
  return value.some((item) => plan?.tokenOf(item) === token && has(schema.items, item, rest));
}
