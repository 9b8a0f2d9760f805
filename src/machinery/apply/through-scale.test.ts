import { expect, test } from "vitest";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import { sampleToday as kind } from "./sample-kind.suite.ts";
import { parentManagers, scaleManagers } from "./through-scale.ts";

const scale = { ...kind, apiVersion: "autoscaling/v1" };
const replicas = { "f:spec": { "f:replicas": {} } };
const time = "2021-01-01T00:00:00Z";
const entry = (manager: string, fieldsV1: object, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: "Apply",
  apiVersion: kind.apiVersion,
  time,
  fieldsType: "FieldsV1",
  fieldsV1,
  ...more,
});
const m1 = entry("m1", { "f:spec": { "f:colors": { "f:r": {} }, "f:replicas": {} } });
const m2 = entry("m2", { "f:spec": { "f:colors": { "f:g": {} } } });
const ofScale = { apiVersion: scale.apiVersion };

test("a Scale has the managers of the replicas", () => {
  expect(scaleManagers(kind, "scale", scale, [m1, m2])).toEqual([entry("m1", replicas, ofScale)]);
  expect(scaleManagers(kind, "scale", scale, [m2])).toBeUndefined();
});

test("a manager that applies a Scale takes the replicas, without a time", () => {
  const path = { subresource: "scale" };
  const after = parentManagers(kind, "scale", [m1, m2], [entry("s", replicas, { ...ofScale, ...path })]);
  const { time: _, ...taken } = entry("s", replicas, path);
  expect(after).toEqual([taken, entry("m1", { "f:spec": { "f:colors": { "f:r": {} } } }), m2]);
});

test("managers that share the replicas stay, and those that own nothing else go", () => {
  const only = entry("only", replicas);
  const path = { subresource: "scale" };
  const s = entry("s", replicas, path);
  const shared = [entry("only", replicas, ofScale), entry("s", replicas, { ...ofScale, ...path })];
  expect(parentManagers(kind, "scale", [only, s], shared)).toEqual([only, s]);
  expect(parentManagers(kind, "scale", [only, s], [shared[1] as ManagedFieldsEntry])).toEqual([s]);
  expect(parentManagers(kind, "scale", [only], undefined)).toBeUndefined();
});

test("managers of versions that no longer exist are dropped", () => {
  const gone = entry("gone", replicas, { apiVersion: "sample.orch.io/v0" });
  expect(parentManagers(kind, "scale", [gone, m2], [])).toEqual([m2]);
});
