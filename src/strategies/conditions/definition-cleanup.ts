/** Lets go of definitions that are being deleted: once none of their objects is left, the server's finalizer goes. */

import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { cleanupFinalizer, terminatingCondition } from "../../api/apiextensions/v1beta1/definition-deletion.ts";
import { createKeyedWork } from "../../base/keyed-work.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { timeText } from "../../machinery/values/time.ts";
import { type Condition, type ConditionParts, type Keeper, withCondition, writeStatus } from "./write-status.ts";

export function keepDefinitionCleanup(parts: ConditionParts): Keeper {
  const { registry, catalog, clock, log } = parts;
  const kind = catalog.of(CustomResourceDefinition);

  const finalizer = cleanupFinalizer(catalog.environment);
  const isWaiting = ({ metadata }: ApiObject) =>
    Boolean(metadata.deletionTimestamp) && (metadata.finalizers ?? []).includes(finalizer);
  const release = (object: CustomResourceDefinition) => {
    if (!isWaiting(object)) return undefined;
    const { status } = object;
    const before = status?.conditions ?? [];
    const conditions = withCondition(before, outcome(before), timeText(clock.now())) ?? before;
    const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    return { status: { ...status, conditions }, metadata: { ...object.metadata, finalizers } };
  };
  const work = createKeyedWork({
    clock,
    async work(name) {
      const entry = registry.peek(kind, { namespace: "", name });
      if (entry === undefined || !isWaiting(entry.object())) return;
      await writeStatus(parts, kind, name, { purpose: "conditions", change: release });
    },
    failed: (definition, error) => log.warn("a definition was not let go", { definition, error }),
  });
  const stop = registry.observe(kind, ({ entry, deleted }) => {
    if (!deleted) work.touch(entry.name);
  });
  for (const { name } of registry.peekAll(kind)) work.touch(name);
  return {
    close() {
      stop();
      return work.close();
    },
  };
}

/** Objects of definitions are not stored yet, so there are none to delete first. */
export function outcome(conditions: readonly { readonly type?: string; readonly status?: string }[]): Condition {
  const wasServed = conditions.some(({ type, status }) => type === "Established" && status === "True");
  const how = wasServed
    ? { reason: "InstanceDeletionCompleted", message: "all objects have been deleted" }
    : { reason: "NeverEstablished", message: "the definition was never established" };
  return { type: terminatingCondition, status: "False", ...how };
}
