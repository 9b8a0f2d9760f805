/** Keeps the Dangling condition of flow schemas: whether the priority level that a schema names exists. */

import { danglingCondition, FlowSchema } from "../api/flowcontrol/v1beta1/flow-schema.ts";
import { PriorityLevelConfiguration } from "../api/flowcontrol/v1beta1/priority-level-configuration.ts";
import { timeText } from "../machinery/values/time.ts";
import type { RunningUpkeep, UpkeepParts } from "./contract.ts";
import { type Condition, createStatusWork, withCondition } from "./write-status.ts";

export function keepFlowSchemas(parts: UpkeepParts): RunningUpkeep {
  const { registry, catalog, clock, log } = parts;
  const schemas = catalog.of(FlowSchema);
  const levels = catalog.of(PriorityLevelConfiguration);

  const isMissing = (level: string) => registry.peek(levels, { namespace: "", name: level }) === undefined;
  const nextStatus = ({ spec, status }: FlowSchema) => {
    const condition = dangling(spec?.priorityLevelConfiguration.name ?? "", isMissing);
    const conditions = withCondition(status?.conditions ?? [], condition, timeText(clock.now()));
    return conditions && { ...status, conditions };
  };
  const work = createStatusWork(parts, {
    kind: schemas,
    purpose: "conditions of flow schemas",
    next: nextStatus,
    failed: (schema, error) => log.warn("the condition of a flow schema was not written", { schema, error }),
  });
  const touchAll = () => {
    for (const { name } of registry.peekAll(schemas)) work.add(name);
  };
  const stops = [
    registry.observe(schemas, ({ entry, deleted }) => {
      if (!deleted) work.add(entry.name);
    }),
    registry.observe(levels, touchAll),
  ];
  touchAll();
  return {
    close() {
      for (const stop of stops) stop();
      return work.close();
    },
  };
}

function dangling(level: string, isMissing: (level: string) => boolean): Condition {
  return isMissing(level)
    ? {
        type: danglingCondition,
        status: "True",
        reason: "NotFound",
        message: `it names the priority level "${level}", which does not exist`,
      }
    : {
        type: danglingCondition,
        status: "False",
        reason: "Found",
        message: `it names the priority level "${level}", which exists`,
      };
}
