import { expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { deepFreeze } from "../json/json-value.ts";
import { elided, map, optional, string, struct } from "./build.ts";
import { decodeFinals } from "./final-places.ts";
import { largePartsMin } from "./final-values.ts";
import type { ApiObject } from "./kind.ts";
import type { StructSchema } from "./schema.ts";
import { ownMembers, sharingMembers } from "./shared-members.ts";

const Final = struct("test.v1.Final", { members: elided(map(string())) }, { isFinal: true });
const Spec = struct("test.v1.Spec", { final: optional(Final), name: elided(string()) });
const schema = struct("test.v1.Object", { spec: elided(Spec), status: elided(map(string())) }).schema as StructSchema;

const members = Object.fromEntries(Array.from({ length: 2 * largePartsMin }, (_, at) => [`m${at}`, "x"]));
const old = deepFreeze({
  kind: "Note",
  apiVersion: "v1",
  metadata: { name: "a" },
  ...(finish(decodeFinals(schema, { spec: { name: "x", final: { members } } })) as { spec: { final: object } }),
  status: { phase: "Ready" },
});

test("an object that shares members has its own metadata", () => {
  const shared = sharingMembers(old);
  expect(shared).toEqual(old);
  expect(shared["spec"]).toBe(old.spec);
  expect(shared.metadata).not.toBe(old.metadata);
});

test("an object gets copies of what it shares, but for large final values, and keeps what it has alone", () => {
  const status = { phase: "Gone" };
  const object: ApiObject = { ...sharingMembers(old), status };
  ownMembers(schema, object, old);
  const { spec } = object as ApiObject & Pick<typeof old, "spec">;
  expect(spec).toEqual(old.spec);
  expect(spec).not.toBe(old.spec);
  expect(Object.isFrozen(spec)).toBe(false);
  expect(spec.final).toBe(old.spec.final);
  expect(object["status"]).toBe(status);
});
