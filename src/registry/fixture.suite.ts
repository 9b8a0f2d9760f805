/** A registry over a memory store, with a few kinds that together cover every kind of life. For this room's tests. */

import { type Clock, createManualClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import type { Kv } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import { elided, int32, list as listOf, map, optional, quantity, string, struct } from "../machinery/schema/build.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { on } from "../machinery/schema/constraints.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import { hasAt } from "../machinery/schema/features.ts";
import { atLevel } from "../machinery/schema/field-level.ts";
import { type ApiObject, kind, status, version } from "../machinery/schema/kind.ts";
import { type Level, levelDefault } from "../machinery/schema/levels.ts";
import { invalid } from "../machinery/status/field-error.ts";
import { orch } from "../vocabulary/orch.ts";
import { type Admission, admitAll } from "./contract/admission.ts";
import type { Watch, WatcherEvent } from "./contract/watch.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { openRegistry, type RegistryOptions } from "./registry.ts";

/** A plain kind: data only. */
const Note = kind({
  group: "",
  version: "v1",
  kind: "Note",
  resource: "notes",
  scope: "Namespaced",
  doc: "A Note is a text.",
  fields: { data: elided(map(string())).at(2) },
});

const TaskSpec = struct("example.v1.TaskSpec", {
  node: elided(string()).at(1),
  size: elided(int32()).at(2).default(1).atLeast(0),
  weight: optional(quantity()).at(3),
});
const TaskStatus = struct("example.v1.TaskStatus", { phase: elided(string()).at(1), count: int32().at(2) });

/** Has graceful deletion, a status path, a generation, selectable fields and two versions. */
const Task = kind({
  group: "example.orch.io",
  version: "v1",
  kind: "Task",
  resource: "tasks",
  scope: "Namespaced",
  doc: "A Task runs somewhere.",
  fields: { spec: elided(TaskSpec).at(2), status: elided(TaskStatus).at(3) },
  generation: true,
  returnsDeleted: true,
  gracefulDeletion: {
    graceSeconds: (task, requested) => ((task.spec?.node ?? "") === "" ? 0 : (requested ?? 30)),
  },
  relations: [on(TaskSpec, ({ node }) => (node === "bad" ? [invalid("node", "bad", "must be a good node")] : []))],
  selectableFields: {
    "spec.node": (task) => task.spec?.node ?? "",
    "status.phase": (task) => task.status?.phase ?? "",
  },
  subresources: [
    status(),
    {
      name: "size",
      verbs: ["get", "update", "patch"],
      accepts: { group: "example.orch.io", version: "v1", kind: "Size" },
      view: (task: ApiObject) => ({
        kind: "Size",
        apiVersion: "example.orch.io/v1",
        metadata: { ...task.metadata },
        size: (task["spec"] as { size?: number }).size ?? 0,
      }),
      merge: (written: unknown, task: ApiObject) => ({
        ...task,
        spec: { ...(task["spec"] as object), size: (written as { size: number }).size },
      }),
      // The declaration's own type is known where kinds are declared one by one.
    } as never,
  ],
});
const TaskBeta = version(Task, {
  version: "v1beta1",
  fields: { host: elided(string()).at(2), size: elided(int32()).at(3).default(5) },
  selectableAs: { host: "spec.node" },
  toHub: (task) => ({
    metadata: task.metadata,
    spec: { node: task.host ?? "", size: task.size ?? 0 },
  }),
  fromHub: (task) => {
    const { spec } = task as { spec?: { node?: string; size?: number } };
    return { metadata: task.metadata, host: spec?.node ?? "", size: spec?.size ?? 0 };
  },
});

/** Cluster-wide, and deleted in two steps. */
const Space = kind({
  group: "",
  version: "v1",
  kind: "Space",
  resource: "spaces",
  scope: "Cluster",
  doc: "A Space holds things.",
  name: "label",
  fields: {
    keepers: elided(listOf(string())).at(2),
    status: elided(struct("services.v1.SpaceStatus", { phase: elided(string()).at(1) })).at(3),
  },
  returnsDeleted: true,
  selectableFields: { "status.phase": (space) => space.status?.phase ?? "" },
  prepareForCreate(space) {
    space.status = { phase: "Active" };
  },
  beginDeletion(space) {
    space.status = { phase: "Terminating" };
  },
  keepTerminating: (space) => (space.keepers ?? []).length > 0,
  refuseDelete: (space) => (space.metadata.name === "default" ? "this space stays" : undefined),
  subresources: [
    status(),
    {
      name: "finalize",
      verbs: ["update"],
      merge: (written: unknown, parent: object) => ({
        ...parent,
        keepers: (written as { keepers?: string[] }).keepers ?? [],
      }),
      validate: () => [],
    } as never,
  ],
});

/** Created by PUT, and never updated without a resourceVersion. */
const Lock = kind({
  group: "example.orch.io",
  version: "v1",
  kind: "Lock",
  resource: "locks",
  scope: "Namespaced",
  doc: "A Lock is held.",
  fields: { holder: optional(string()).at(2) },
  createOnUpdate: true,
  unconditionalUpdate: false,
  compat: { orphansByDefault: true },
});

/** Expires after an hour, needs no name, and its text comes first. */
const Notice = kind({
  group: "",
  version: "v1",
  kind: "Notice",
  resource: "notices",
  scope: "Namespaced",
  doc: "A Notice records what happened.",
  fields: { text: elided(string()).at(2) },
  compat: { nameForUnnamed: (environment) => environment.randomUid(), metadataLast: true },
  validate: ({ text }) => (text === "bad" ? [invalid("text", text, "must be good")] : []),
  ttlSeconds: 3_600,
});

/** Any name that is one path segment, and a generation that counts empty lists. */
const Rule = kind({
  group: "example.orch.io",
  version: "v1",
  kind: "Rule",
  resource: "rules",
  scope: "Cluster",
  doc: "A Rule has an odd name.",
  fields: { text: elided(string()).at(2), texts: elided(listOf(string())).at(3) },
  name: "pathSegment",
  generation: "literal",
});

export const sampleKinds = [Note, Task, TaskBeta, Space, Lock, Notice, Rule];

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

export interface FixtureOptions extends Partial<Omit<RegistryOptions, "kv" | "clock" | "catalog" | "environment">> {
  readonly kv?: Kv;
  readonly clock?: Clock;
  readonly level?: Level;
}

export async function openFixture(options: FixtureOptions = {}) {
  const clock = createManualClock(Date.parse("2021-06-01T00:00:00Z"));
  const kv = options.kv ?? createMemoryKv();
  const admission: Admission = options.admission ?? admitAll;
  const { level = levelDefault } = options;
  let serial = 0;
  const nextSerial = (): number => {
    serial += 1;
    return serial;
  };
  const environment: Environment = {
    vocabulary: orch,
    gates: { enabled: () => true },
    clock,
    level,
    since: atLevel(level).since,
    has: hasAt(level),
    randomSuffix: (length) => String(nextSerial()).padStart(length, "x"),
    randomUid: () => `00000000-0000-4000-8000-${String(nextSerial()).padStart(12, "0")}`,
    allowPrivileged: true,
  };
  const catalog = createCatalog(sampleKinds, environment);
  const registry = await openRegistry({
    log: silentLog,
    ...options,
    kv,
    admission,
    clock: options.clock ?? clock,
    catalog,
  });
  const bound = (group: string, ver: string, name: string): BoundKind => {
    const found = catalog.byKind(group, ver, name);
    if (found === undefined) throw new Error(`no kind ${name}`);
    return found;
  };
  const kinds = {
    note: bound("", "v1", "Note"),
    task: bound("example.orch.io", "v1", "Task"),
    taskBeta: bound("example.orch.io", "v1beta1", "Task"),
    space: bound("", "v1", "Space"),
    lock: bound("example.orch.io", "v1", "Lock"),
    notice: bound("", "v1", "Notice"),
    rule: bound("example.orch.io", "v1", "Rule"),
  };
  /** Creates from plain JSON, as a POST to the namespace does. */
  const post = (of: BoundKind, body: Record<string, unknown>, namespace = "a", more: Partial<WriteContext> = {}) =>
    registry.create(of, decodeKind(of, body), { namespace: of.namespaced ? namespace : "", name: "" }, context(more));
  /** Replaces, as a PUT does. */
  const replace = (of: BoundKind, body: Record<string, unknown>, namespace = "a", more: Partial<WriteContext> = {}) => {
    const object = decodeKind(of, body);
    const ref = { namespace: of.namespaced ? namespace : "", name: object.metadata.name ?? "" };
    return registry.update(of, ref, () => object, context(more), {
      createIfMissing: of.strategy.createOnUpdate === true,
    });
  };
  return { registry, kv, clock, catalog, environment, kinds, post, replace };
}

export function context(more: Partial<WriteContext> = {}): WriteContext {
  return {
    user: { name: "tester", uid: "", groups: [], extra: new Map() },
    dryRun: false,
    fieldManager: "",
    warn() {},
    ...more,
  };
}

/** A refusal without its message. */
export async function refusal(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    const { code, reason, details } = error as {
      code: number;
      reason: string;
      details?: { causes?: { reason: string; field: string }[] };
    };
    const causes = details?.causes?.map((cause) => `${cause.reason} ${cause.field}`);
    return { code, reason, ...(details && { details: { ...details, ...(causes && { causes }) } }) };
  }
  throw new Error("it was not refused");
}

/** Collects the events of a watch. */
export function collect(watch: Watch) {
  const seen: WatcherEvent[] = [];
  const outcome: { ended: boolean; reason: Error | undefined } = { ended: false, reason: undefined };
  watch.start({
    events(batch) {
      seen.push(...batch);
    },
    end(reason) {
      outcome.ended = true;
      outcome.reason = reason;
    },
  });
  return {
    seen,
    outcome,
    /** "ADDED a/x@7". */
    lines: () =>
      seen.map((event) =>
        event.type === "BOOKMARK"
          ? `BOOKMARK @${event.revision}`
          : `${event.type} ${event.entry.namespace}/${event.entry.name}@${event.revision}`,
      ),
  };
}

export const names = (entries: readonly { name: string }[]): string[] => entries.map(({ name }) => name);

/** Lets all pending work run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
