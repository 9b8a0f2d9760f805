/** A kind with every type of ownership in two versions, and a small server that writes it. For this room's tests. */

import { createCatalog } from "../catalog/bind.ts";
import { copyJson, deepFreeze } from "../json/json-value.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import {
  bool,
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
import type { BoundKind } from "../schema/catalog.ts";
import { decodeKind } from "../schema/decode-kind.ts";
import { defaultKind } from "../schema/default-kind.ts";
import { plainEnvironment } from "../schema/environment.suite.ts";
import { type ApiObject, kind, version } from "../schema/kind.ts";
import { applyConfiguration } from "./apply.ts";
import { trackNow } from "./ownership.ts";

export const environment = plainEnvironment();

const Port = struct("sample.v1.Port", {
  port: int32(),
  protocol: elided(string()).default("TCP"),
  name: elided(string()),
});
const Part = struct("sample.v1.Part", {
  name: string(),
  image: elided(string()),
  policy: elided(string()).default("Always"),
  args: elided(list(string())),
  env: elided(
    list(struct("sample.v1.Env", { name: string(), value: elided(string()) }), {
      patchStrategy: "merge",
      patchMergeKey: "name",
    }),
  ),
  ports: elided(
    list(Port, { topology: "map", keys: ["port", "protocol"], patchStrategy: "merge", patchMergeKey: "port" }),
  ),
  limits: elided(map(quantity())),
});
const Selector = struct("sample.v1.Selector", { match: elided(map(string())) }, { topology: "atomic" });
const Spec = struct("sample.v1.Spec", {
  replicas: optional(int32()).default(1),
  paused: elided(bool()),
  selector: optional(Selector),
  parts: list(Part, { patchStrategy: "merge", patchMergeKey: "name" }),
  words: elided(list(string(), { topology: "set" })),
  atoms: elided(list(string(), { topology: "atomic" })),
  colors: elided(map(string())),
  whole: elided(map(string(), { topology: "atomic" })),
  nested: optional(struct("sample.v1.Nested", { a: elided(string()), b: elided(string()) })),
  surge: optional(intOrString()),
  raw: optional(json()),
});

const Sample = kind({
  group: "sample.orch.io",
  version: "v1",
  kind: "Sample",
  resource: "samples",
  scope: "Namespaced",
  doc: "A Sample has a field of every sort.",
  fields: {
    spec: elided(Spec).at(2),
    status: elided(
      struct("sample.v1.Status", {
        phase: elided(string()),
        seen: elided(time()),
        count: int32(),
      }),
    ).at(3),
  },
  subresources: [
    { name: "status", verbs: ["get", "patch", "update"], resets: ["metadata.labels"] },
    {
      name: "scale",
      verbs: ["get", "patch", "update"],
      accepts: { group: "autoscaling", version: "v1", kind: "Scale" },
      replicas: ["spec", "replicas"],
    },
  ],
});

/** Calls `replicas` `size` and has fewer fields. */
const SampleBeta = version(Sample, {
  version: "v1beta1",
  fields: {
    spec: elided(
      struct("sample.v1beta1.Spec", {
        size: optional(int32()).default(1),
        colors: elided(map(string())),
        parts: list(Part, { patchStrategy: "merge", patchMergeKey: "name" }),
        words: elided(list(string(), { topology: "set" })),
      }),
    ).at(2),
  },
  toHub: ({ spec, ...object }) => {
    const { size, ...rest } = spec ?? { parts: [] };
    return { ...object, spec: { ...rest, ...(size === undefined ? {} : { replicas: size }) } };
  },
  fromHub: ({ spec, status: _, ...object }) => {
    const { replicas, colors, parts, words } = spec ?? { parts: [] };
    const size = replicas === undefined ? {} : { size: replicas };
    return { ...object, spec: { parts, ...size, ...(colors ? { colors } : {}), ...(words ? { words } : {}) } };
  },
});

export const catalog = createCatalog([Sample, SampleBeta] as never, environment);
export const sample = catalog.byKind("sample.orch.io", "v1", "Sample") as BoundKind;
export const sampleBeta = catalog.byKind("sample.orch.io", "v1beta1", "Sample") as BoundKind;

/** The kind at level 1.35. */
export const sampleToday = createCatalog([Sample, SampleBeta] as never, plainEnvironment({ level: "1.35" })).byKind(
  "sample.orch.io",
  "v1",
  "Sample",
) as BoundKind;

const second = (n: number) => new Date(Date.UTC(2021, 3, 8, 0, 0, n)).toISOString().replace(".000", "");

/** One object and the ways to write it, as the registry would: decode, default, update managed fields, store. */
export class SampleServer {
  live: ApiObject | undefined;
  /** Seconds since the start; each write takes one. */
  #now = 0;

  /** The whole object or what differs from an empty one. */
  put(manager: string, fields: Record<string, unknown>, { kind = sample, subresource = "" } = {}): ApiObject {
    const { metadata = {}, ...rest } = fields;
    const given = { metadata: { name: "a", ...(metadata as object) }, ...rest };
    return this.#write(manager, decodeKind(kind, given), kind, subresource);
  }

  mergePatch(manager: string, patch: unknown, { kind = sample, subresource = "" } = {}): ApiObject {
    return this.#write(manager, decodeKind(kind, applyMergePatch(this.read(kind), patch)), kind, subresource);
  }

  #write(manager: string, next: ApiObject, kind: BoundKind, subresource: string): ApiObject {
    defaultKind(kind, next);
    const live = this.read(kind);
    const now = second(++this.#now);
    trackNow({ kind, live, next, manager, subresource, now });
    return this.#store(next, kind);
  }

  apply(
    manager: string,
    fields: Record<string, unknown>,
    { kind = sample, subresource = "", force = false } = {},
  ): ApiObject {
    const { metadata = {}, ...rest } = fields;
    const applied = {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { name: "a", ...(metadata as object) },
      ...rest,
    };
    const now = second(++this.#now);
    const next = copyJson(
      applyConfiguration({ kind, live: this.read(kind), applied, manager, force, subresource, now }),
    );
    defaultKind(kind, next);
    return this.#store(next, kind);
  }

  read(kind: BoundKind = sample): ApiObject | undefined {
    if (this.live === undefined) return undefined;
    return deepFreeze(kind === kind.hub ? this.live : kind.fromHub(this.live));
  }

  #store(next: ApiObject, kind: BoundKind): ApiObject {
    const hub = copyJson(kind === kind.hub ? next : kind.toHub(next));
    hub.metadata.uid = "uid";
    this.live = deepFreeze(hub);
    return hub;
  }

  /** Who owns what: "m1 Apply v1" -> fieldsV1. */
  owners(): Record<string, unknown> {
    const entries = this.live?.metadata.managedFields ?? [];
    return Object.fromEntries(
      entries.map((entry) => [
        `${entry.manager} ${entry.operation} ${entry.apiVersion?.split("/")[1]}`,
        entry.fieldsV1,
      ]),
    );
  }

  spec(): Record<string, unknown> {
    return (this.live?.["spec"] ?? {}) as Record<string, unknown>;
  }
}
