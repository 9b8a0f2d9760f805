import { expect, test } from "vitest";
import { int32, optional, string } from "../schema/build.ts";
import type { BoundKind, Family } from "../schema/catalog.ts";
import type { Codec } from "../schema/codec.ts";
import { type Conversion, convert, convertAll, convertNow, withType } from "../schema/convert.ts";
import { plainEnvironment } from "../schema/environment.suite.ts";
import { type ApiObject, kind, version } from "../schema/kind.ts";
import { createCatalog } from "./bind.ts";
import { declaredCodec } from "./declared-codec.ts";

const fields = { size: optional(int32()).at(2), color: optional(string()).at(3).default("red") };
const face = { group: "", version: "v1", kind: "Box", resource: "boxes", scope: "Namespaced", doc: "A box." } as const;

function bindBoxes(options: { codec?: (bound: BoundKind) => Codec; conversion?: (family: Family) => Conversion } = {}) {
  const Box = kind({ ...face, fields, ...options });
  const catalog = createCatalog([Box, version(Box, { version: "v2" })], plainEnvironment());
  const [family] = catalog.families();
  if (family === undefined) throw new Error("nothing is declared");
  const [v1, v2] = family.versions as [BoundKind, BoundKind];
  return { family, v1, v2 };
}

test("a declared kind reads, fills in and prints objects as its schema says", () => {
  const { codec } = bindBoxes().v1;
  const box = codec.decode({ metadata: { name: "b" }, size: 0, lid: true });
  codec.applyDefaults(box);
  expect(box).toMatchObject({ kind: "Box", apiVersion: "v1", size: 0, color: "red" });
  expect(box).not.toHaveProperty("lid");
  expect(codec.protobuf?.decode(codec.protobuf.encode(box))).toMatchObject({ color: "red" });
  expect(codec.mergeStrategically?.(box, { size: 3 })).toMatchObject({ size: 3, color: "red" });
});

test("versions of declared kinds are written in the hub version and converted at once", () => {
  const { v1, v2, family } = bindBoxes();
  expect([v1.hub, v2.hub]).toEqual([v1, v1]);
  expect(family.conversion.isImmediate).toBe(true);
  const box = v1.codec.decode({ metadata: { name: "b" } });
  expect(convert(box, v1, v2)).toEqual({ ...box, apiVersion: "v2" });
  expect(convertAll([box, box], v1, v2)).toHaveLength(2);
});

test("a kind may have its own codec and conversion; its versions are then written unchanged", async () => {
  const asked: number[] = [];
  const { v1, v2, family } = bindBoxes({
    codec: (bound) => ({ ...declaredCodec(bound), protobuf: undefined, mergeStrategically: undefined }),
    conversion: () => ({
      isImmediate: false,
      async convert(objects, _from, to) {
        asked.push(objects.length);
        return objects.map((object) => withType(object, to));
      },
    }),
  });
  expect(v1.codec.protobuf).toBeUndefined();
  expect([v1.hub, v2.hub]).toEqual([v1, v2]);
  expect(family.conversion.isImmediate).toBe(false);
  const boxes: ApiObject[] = [{ metadata: { name: "a" } }, { metadata: { name: "b" } }];
  const converted = await convertAll(boxes, v1, v2);
  expect(converted.map(({ apiVersion }) => apiVersion)).toEqual(["v2", "v2"]);
  expect(asked).toEqual([2]);
  expect(() => convertNow({ metadata: {} }, v1, v2)).toThrow(/not converted at once/);
});

test("a conversion that loses an object throws", () => {
  const { v1, v2 } = bindBoxes({ conversion: () => ({ isImmediate: true, convert: () => [] }) });
  expect(() => convert({ metadata: {} }, v1, v2)).toThrow(/as many objects/);
});
