/** Keeps the conditions of definitions: whether their names are accepted, and whether their schemas are structural. */

import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { DefinitionStatus } from "../../api/apiextensions/v1/definition-parts.ts";
import { createKeyedWork } from "../../base/keyed-work.ts";
import { unsupportedKeyword, validateStructural } from "../../machinery/json-schema/structural.ts";
import { sameJson } from "../../machinery/schema/json-value.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { timeText } from "../../machinery/values/time.ts";
import { acceptNames } from "./accepted-names.ts";
import {
  type Condition,
  type ConditionParts,
  inStatus,
  type Keeper,
  withCondition,
  writeStatus,
} from "./write-status.ts";

export function keepDefinitions(parts: ConditionParts): Keeper {
  const { registry, catalog, clock, log } = parts;
  const { vocabulary } = catalog.environment;
  const kind = catalog.byResource(vocabulary.group("apiextensions.orch.io"), "v1", "customresourcedefinitions");
  if (kind === undefined) return { close: async () => {} }; // switched off

  // Stored in v1, so what is read is of v1.
  const read = (object: ApiObject) => object as unknown as CustomResourceDefinition;
  const groupOf = (name: string) => name.slice(name.indexOf(".") + 1);
  const ofGroup = (group: string) => [...registry.peekAll(kind.family)].filter(({ name }) => groupOf(name) === group);
  const nextStatus = (object: ApiObject): DefinitionStatus | undefined => {
    const definition = read(object);
    const others = ofGroup(definition.spec.group)
      .map((entry) => read(entry.object()))
      .filter(({ metadata }) => metadata.uid !== definition.metadata.uid)
      .flatMap(({ status }) => (status ? [status.acceptedNames] : []));
    return statusOf(definition, others, vocabulary.extensionPrefix, timeText(clock.now()));
  };
  const work = createKeyedWork({
    clock,
    async work(name) {
      const entry = registry.peek(kind.family, { namespace: "", name });
      if (entry === undefined || nextStatus(entry.object()) === undefined) return;
      await writeStatus(parts, kind, name, {
        manager: vocabulary.word("orch-apiserver"),
        change: inStatus(nextStatus),
      });
    },
    failed: (definition, error) => log.warn("the conditions of a definition were not written", { definition, error }),
  });
  const stop = registry.observe(kind.family, ({ entry, deleted }) => {
    if (!deleted) work.touch(entry.name);
    // Names that become free may be what another definition of the group waits for.
    for (const { name } of ofGroup(groupOf(entry.name))) if (name !== entry.name) work.touch(name);
  });
  for (const { name } of registry.peekAll(kind.family)) work.touch(name);
  return {
    close() {
      stop();
      return work.close();
    },
  };
}

/** Undefined: the status is as it should be. */
function statusOf(
  { spec, status }: CustomResourceDefinition,
  others: readonly DefinitionStatus["acceptedNames"][],
  prefix: string,
  now: string,
): DefinitionStatus | undefined {
  const names = acceptNames(spec.names, status, others);
  const before = status?.conditions ?? [];
  let conditions: DefinitionStatus["conditions"] = before;
  const put = (condition: Condition) => {
    conditions = withCondition(conditions, condition, now) ?? conditions;
  };
  put(names.condition);
  const wasEstablished = before.some(({ type, status: is }) => type === "Established" && is === "True");
  if (!wasEstablished) put(established(names.condition.status === "True"));
  if (!isStructural(spec, prefix)) put(nonStructural);
  else conditions = conditions.filter(({ type }) => type !== nonStructural.type);
  const acceptedNames = tidy(names.acceptedNames);
  const isSame = conditions.length === before.length && conditions.every((one, index) => one === before[index]);
  if (isSame && sameJson(acceptedNames, status?.acceptedNames)) return undefined;
  return { storedVersions: status?.storedVersions ?? [], acceptedNames, conditions };
}

/** As it is printed: without lists and names that are empty. */
function tidy(names: DefinitionStatus["acceptedNames"]): DefinitionStatus["acceptedNames"] {
  const { plural, kind, ...rest } = names;
  const given = Object.entries(rest).filter(([, value]) => value.length > 0);
  return { plural, kind, ...Object.fromEntries(given) };
}

const established = (accepted: boolean): Condition =>
  accepted
    ? {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      }
    : { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };

const nonStructural: Condition = {
  type: "NonStructuralSchema",
  status: "True",
  reason: "Violations",
  message: "a schema is not structural, so nothing is pruned and nothing has a default",
};

function isStructural({ versions }: CustomResourceDefinition["spec"], prefix: string): boolean {
  return (versions ?? []).every(({ schema }) => {
    const root = schema?.openAPIV3Schema;
    if (root === undefined) return true;
    return unsupportedKeyword(root, prefix) === undefined && validateStructural(root, "", prefix).length === 0;
  });
}
