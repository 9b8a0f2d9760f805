/** The documents of two kinds that have a field of every sort: for tests of what is in them. */

import { finish } from "../../base/time-slice.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createCatalog } from "../catalog/bind.ts";
import {
  bool,
  bytes,
  double,
  elided,
  int32,
  intOrString,
  json,
  list,
  map,
  optional,
  quantity,
  string,
  struct,
  time,
} from "../schema/build.ts";
import { plainEnvironment } from "../schema/environment.suite.ts";
import { kind } from "../schema/kind.ts";
import type { Field } from "../schema/schema.ts";
import { buildOpenApiV2 } from "./v2.ts";

const Part: Field = struct("core.v1.Part", () => ({
  name: string().at(1).doc("What it is called."),
  parts: elided(list(Part, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" })).at(2),
  size: optional(int32()).at(3),
  color: elided(string()).at(4).openApiDefault("Red"),
  shade: elided(string()).at(14).default("Dark"),
  limits: elided(map(quantity())).at(5),
  port: elided(intOrString()).at(6),
  at: elided(time()).at(7),
  raw: elided(json()).at(8),
  data: elided(bytes()).at(9).openApiAtomic(),
  on: elided(bool()).at(10),
  ratio: elided(double()).at(11),
  tags: elided(list(string(), { topology: "set" })).at(12),
  __proto: elided(string()).at(13),
}));
const Selector = struct(
  "meta.v1.Selector",
  { match: elided(map(string())).at(1) },
  { topology: "atomic", doc: "Which." },
);

const Thing = kind({
  group: "tools.orch.io",
  version: "v1",
  kind: "Thing",
  resource: "things",
  scope: "Namespaced",
  doc: "A thing.",
  returnsDeleted: true,
  fields: { spec: elided(Part).at(2), selector: optional(Selector).at(3).doc("Which others.") },
  subresources: [
    { name: "status", verbs: ["get", "patch", "update"] },
    { name: "use", verbs: ["create"], accepts: { group: "", version: "v1", kind: "Usage" }, action: "things/use" },
    {
      name: "proxy",
      verbs: ["get", "create"],
      shownKind: "ThingProxyOptions",
      action: "things/proxy",
      connects: { path: "text" },
    },
    { name: "log", verbs: ["get"], action: "things/log", query: { follow: "flag", tailLines: "number" } },
  ],
});
const Usage = kind({
  group: "",
  version: "v1",
  kind: "Usage",
  resource: "usages",
  scope: "Cluster",
  doc: "A use of something.",
  verbs: ["create"],
  action: "usages",
  fields: { user: string().at(2) },
});

export const catalogIn = (vocabulary: Vocabulary) =>
  createCatalog([Thing, Usage], plainEnvironment({ vocabulary, gates: { enabled: () => false } })); // kinds are kept without their type

export const info = { title: "test", version: "v1.21.0" };
export const catalog = catalogIn(orch);
export const document = finish(buildOpenApiV2(catalog, info));
export const definition = (name: string) => document.definitions[name];

export function references(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = ""]) => reference);
}
