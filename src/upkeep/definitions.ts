/** Keeps the conditions of definitions: whether names are accepted, schemas are structural, and objects can be converted. */

import { acceptNames, isTrue } from "../api/apiextensions/definition/accepted-names.ts";
import { canConvert } from "../api/apiextensions/definition/authority-bundle.ts";
import type { TakenNames } from "../api/apiextensions/definition/group-names.ts";
import { tracksGeneration, withGeneration } from "../api/apiextensions/definition/observed-generation.ts";
import { isStructural } from "../api/apiextensions/definition/rules.ts";
import { CustomResourceDefinition } from "../api/apiextensions/v1/custom-resource-definition.ts";
import type { DefinitionStatus } from "../api/apiextensions/v1/definition-parts.ts";
import { inTimeSlices, type Steps } from "../base/time-slice.ts";
import type { JsonSchema } from "../machinery/json/json-schema.ts";
import { sameJson } from "../machinery/json/json-value.ts";
import { timeText } from "../machinery/values/time.ts";
import type { Entry } from "../registry/contract/entry.ts";
import type { RunningUpkeep, UpkeepParts } from "./contract.ts";
import { type Condition, createStatusWork, withCondition } from "./write-status.ts";

export function maintainDefinitions(parts: UpkeepParts): RunningUpkeep {
  const { registry, catalog, clock, log, names: held } = parts;
  const { vocabulary } = catalog.environment;
  const prefix = vocabulary.extensionPrefix;
  const kind = catalog.of(CustomResourceDefinition);

  /** By name, the names that each definition was last seen to hold. */
  const seen = new Map<string, DefinitionStatus["acceptedNames"] | undefined>();
  /** Group by group, definitions that wait for a name: when one becomes free, only these are checked again. */
  const waiting = new Map<string, Set<string>>();
  /** By name, whether the schemas of a generation are structural: a change of names needs it again. */
  const judged = new Map<string, { readonly generation: string; readonly isStructural: boolean }>();
  const generationOf = ({ uid = "", generation = 0 }: CustomResourceDefinition["metadata"]) => `${uid} ${generation}`;
  const judgementOf = ({ metadata }: CustomResourceDefinition) => {
    const known = judged.get(metadata.name ?? "");
    return known?.generation === generationOf(metadata) ? known : undefined;
  };
  const check = async (definition: CustomResourceDefinition): Promise<void> => {
    const { metadata, spec } = definition;
    if (judgementOf(definition) !== undefined) return;
    const all = await inTimeSlices(areStructural(spec, prefix));
    // A definition that was deleted meanwhile leaves nothing behind.
    if (seen.has(metadata.name ?? ""))
      judged.set(metadata.name ?? "", { generation: generationOf(metadata), isStructural: all });
  };
  const groupOf = (name: string) => name.slice(name.indexOf(".") + 1);
  const nextStatus = (definition: CustomResourceDefinition): DefinitionStatus | undefined => {
    const judgement = judgementOf(definition);
    if (judgement === undefined) return undefined; // changed meanwhile, so it is in the queue again
    const taken = held.namesTakenBeside(definition.metadata.name ?? "");
    const facts = {
      isStructural: judgement.isStructural,
      canConvert: canConvert(definition.spec, catalog.environment),
    };
    const next = statusOf(definition, taken, facts, timeText(clock.now()));
    return tracksGeneration(catalog.environment) ? observed(definition, next) : next;
  };
  const work = createStatusWork(parts, {
    kind,
    purpose: "conditions",
    prepare: check,
    next: nextStatus,
    failed: (definition, error) => log.warn("the conditions of a definition were not written", { definition, error }),
  });
  const wait = (entry: Entry<CustomResourceDefinition>, isWaiting: boolean) => {
    const group = groupOf(entry.name);
    const ofGroup = waiting.get(group) ?? new Set();
    if (isWaiting) ofGroup.add(entry.name);
    else ofGroup.delete(entry.name);
    if (ofGroup.size === 0) waiting.delete(group);
    else waiting.set(group, ofGroup);
  };
  const follow = (entry: Entry<CustomResourceDefinition>, deleted: boolean) => {
    const before = seen.get(entry.name);
    const names = deleted ? undefined : held.namesHeldBy(entry.name);
    if (deleted) {
      judged.delete(entry.name);
      seen.delete(entry.name);
    } else {
      seen.set(entry.name, names);
      work.add(entry.name);
    }
    wait(entry, !deleted && !isTrue(entry.object(), "NamesAccepted"));
    // Another definition of the group may wait for names that become free.
    if (before === undefined || sameJson(before, names)) return;
    for (const name of waiting.get(groupOf(entry.name)) ?? []) work.add(name);
  };
  const stop = registry.observe(kind, ({ entry, deleted }) => follow(entry, deleted));
  for (const entry of registry.peekAll(kind)) follow(entry, false);
  return {
    close() {
      stop();
      return work.close();
    },
  };
}

/** With the generation that it is of; undefined: the status does not change. */
function observed({ metadata, status }: CustomResourceDefinition, next = status): DefinitionStatus | undefined {
  const told = next && withGeneration(next, metadata.generation ?? 0);
  return sameJson(told, status) ? undefined : told;
}

interface Facts {
  readonly isStructural: boolean;
  /** Whether the webhook that converts its objects can be called; true without one. */
  readonly canConvert: boolean;
}

/** Undefined: the status does not change. */
function statusOf(
  { spec, status }: CustomResourceDefinition,
  taken: TakenNames,
  { isStructural, canConvert }: Facts,
  now: string,
): DefinitionStatus | undefined {
  const names = acceptNames(spec.names, status, taken);
  const before = status?.conditions ?? [];
  let conditions: DefinitionStatus["conditions"] = before;
  const put = (condition: Condition) => {
    conditions = withCondition(conditions, condition, now) ?? conditions;
  };
  put(names.condition);
  const wasEstablished = before.some(({ type, status: is }) => type === "Established" && is === "True");
  if (!wasEstablished) put(established(names.condition.status === "True", canConvert));
  if (!isStructural) put(nonStructural);
  else conditions = conditions.filter(({ type }) => type !== nonStructural.type);
  const acceptedNames = tidy(names.acceptedNames);
  const isSame = conditions.length === before.length && conditions.every((one, index) => one === before[index]);
  if (isSame && sameJson(acceptedNames, status?.acceptedNames)) return undefined;
  return { storedVersions: status?.storedVersions ?? [], acceptedNames, conditions };
}

/** As it is printed: without empty lists and names. */
function tidy(names: DefinitionStatus["acceptedNames"]): DefinitionStatus["acceptedNames"] {
  const { plural, kind, ...rest } = names;
  const given = Object.entries(rest).filter(([, value]) => value.length > 0);
  return { plural, kind, ...Object.fromEntries(given) };
}

function established(accepted: boolean, canConvert: boolean): Condition {
  const type = "Established";
  if (!accepted) return { type, status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  if (canConvert)
    return { type, status: "True", reason: "InitialNamesAccepted", message: "the initial names have been accepted" };
  const message = "the caBundle of the conversion webhook has no certificates";
  return { type, status: "False", reason: "InvalidCABundle", message };
}

const nonStructural: Condition = {
  type: "NonStructuralSchema",
  status: "True",
  reason: "Violations",
  message: "a schema is not structural, so nothing is pruned and no defaults are set",
};

function* areStructural({ versions }: CustomResourceDefinition["spec"], prefix: string): Steps<boolean> {
  for (const { schema } of versions ?? []) {
    const root = schema?.openAPIV3Schema as JsonSchema | undefined; // decoded as one
    if (root !== undefined && !(yield* isStructural(root, prefix))) return false;
  }
  return true;
}
