/** Finishes the deletion of definitions: when none of their objects is left, it removes the server's finalizer. */

import { cleanupFinalizer, terminatingCondition } from "../api/apiextensions/definition/deletion.ts";
import { CustomResourceDefinition } from "../api/apiextensions/v1/custom-resource-definition.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { timeText } from "../machinery/values/time.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import type { RunningUpkeep, UpkeepParts } from "./contract.ts";
import { createWork } from "./work.ts";
import { type Condition, withCondition, writeStatus } from "./write-status.ts";

export function keepDefinitionCleanup(parts: UpkeepParts): RunningUpkeep {
  const { registry, catalog, clock, log } = parts;
  const kind = catalog.of(CustomResourceDefinition);

  const finalizer = cleanupFinalizer(catalog.environment);
  const isWaiting = ({ metadata }: ApiObject) =>
    Boolean(metadata.deletionTimestamp) && (metadata.finalizers ?? []).includes(finalizer);
  const withTerminating = ({ status }: CustomResourceDefinition, condition: Condition) => {
    const before = status?.conditions ?? [];
    return { ...status, conditions: withCondition(before, condition, timeText(clock.now())) ?? before };
  };
  const report = (name: string, condition: Condition) =>
    writeStatus(parts, kind, name, {
      purpose: "conditions",
      change: (object) => (isWaiting(object) ? { status: withTerminating(object, condition) } : undefined),
    });
  const release = (object: CustomResourceDefinition) => {
    if (!isWaiting(object)) return undefined;
    const { status } = object;
    const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const next = withTerminating(object, outcome(status?.conditions ?? []));
    return { status: next, metadata: { ...object.metadata, finalizers } };
  };
  /** By the name of the definition, how to stop watching objects that finalizers hold. */
  const held = new Map<string, () => void>();
  const stopLooking = (name: string) => {
    held.get(name)?.();
    held.delete(name);
  };
  const objectsOf = (of: BoundKind) => [...registry.peekAll(of)];
  const context = serverWrites("objects of a deleted definition", catalog.environment.vocabulary);
  /** Whether no object of the definition is left. */
  const deleteObjects = async (name: string): Promise<boolean> => {
    const of = parts.kindDefinedBy(name);
    if (of === undefined || objectsOf(of).length === 0) return true;
    if (!held.has(name)) {
      await report(name, inProgress);
      await registry.deleteCollection(of, { namespace: "" }, {}, context);
      held.set(
        name,
        registry.observe(of, ({ deleted }) => deleted && work.add(name)),
      );
    }
    return objectsOf(of).length === 0;
  };
  const work = createWork({
    name: "deleted definitions",
    clock,
    async work(name) {
      const entry = registry.peek(kind, { namespace: "", name });
      if (entry === undefined || !isWaiting(entry.object())) return;
      if (!(await deleteObjects(name))) return;
      stopLooking(name);
      await writeStatus(parts, kind, name, { purpose: "conditions", change: release });
    },
    failed: (definition, error) => log.warn("the finalizer of a definition was not removed", { definition, error }),
  });
  const stop = registry.observe(kind, ({ entry, deleted }) => {
    if (deleted) stopLooking(entry.name);
    else work.add(entry.name);
  });
  for (const { name } of registry.peekAll(kind)) work.add(name);
  return {
    close() {
      stop();
      for (const name of [...held.keys()]) stopLooking(name);
      return work.close();
    },
  };
}

const inProgress: Condition = {
  type: terminatingCondition,
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "the objects of the definition are being deleted",
};

/** There are no objects left. */
export function outcome(conditions: readonly { readonly type?: string; readonly status?: string }[]): Condition {
  const wasServed = conditions.some(({ type, status }) => type === "Established" && status === "True");
  const how = wasServed
    ? { reason: "InstanceDeletionCompleted", message: "all objects have been deleted" }
    : { reason: "NeverEstablished", message: "the definition was never established" };
  return { type: terminatingCondition, status: "False", ...how };
}
