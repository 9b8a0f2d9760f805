/**
 * Serves the kinds of definitions: a definition is in the catalog before the answer to its create is sent, and is removed when it
 * is deleted. Every server watches the definitions in the store, so those written through another server arrive the same way.
 */

import { heldNames, isTrue, servedNames } from "../../api/apiextensions/definition/accepted-names.ts";
import { canServe } from "../../api/apiextensions/definition/authority-bundle.ts";
import { GroupNames, type TakenNames } from "../../api/apiextensions/definition/group-names.ts";
import { indexedPaths } from "../../api/apiextensions/definition/indexes.ts";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { DefinitionNames } from "../../api/apiextensions/v1/definition-parts.ts";
import type { Log } from "../../base/log.ts";
import type { WebhookCaller } from "../../base/webhook-caller.ts";
import type { ChangingCatalog } from "../../machinery/catalog/bind.ts";
import { sameMembers } from "../../machinery/json/json-value.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import type { CustomKind } from "../../machinery/schema/kind.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { noneConversion, webhookConversion } from "./conversion.ts";
import { customKindsOf } from "./custom-kinds.ts";
import { type DefinitionSource, definitionOf } from "./definition.ts";

interface ServeOptions {
  readonly registry: Registry;
  readonly catalog: ChangingCatalog;
  readonly log: Log;
  /** Calls conversion webhooks. */
  readonly caller: WebhookCaller;
  /** Whether the definition of this name is served if its names are accepted. */
  mayServe(name: string): boolean;
}

interface ServedDefinitions {
  /** The family that the definition of this name defines; undefined: it is not served. */
  familyOf(name: string): Family | undefined;
  /** The names that the definition of this name holds, so that no other of its group gets them; undefined: there is none. */
  namesHeldBy(name: string): DefinitionNames | undefined;
  /** The names that other definitions of its group hold. */
  namesTakenBeside(name: string): TakenNames;
  close(): void;
}

/** The last known state of a definition. */
interface Known {
  /** So that no later definition of the group takes them. */
  readonly held: DefinitionNames;
  /** Undefined: not served. */
  readonly served: Served | undefined;
}

interface Served {
  /** The uid of the definition: nothing relevant has changed while this, generation, names and indexed fields are the same. */
  readonly uid: string;
  readonly generation: number;
  readonly names: DefinitionNames;
  readonly indexed: string;
  readonly source: DefinitionSource;
  readonly kinds: readonly CustomKind[];
  family: Family | undefined;
}

export function serveDefinitions({ registry, catalog, log, caller, mayServe }: ServeOptions): ServedDefinitions {
  const kind = catalog.of(CustomResourceDefinition);
  const { extensionPrefix: prefix, definitionPrefix } = catalog.environment.vocabulary;
  /** By group, then by the name of the definition. */
  const groups = new Map<string, Map<string, Known>>();
  const namesByGroup = new Map<string, GroupNames>();
  const groupOf = (name: string) => name.slice(name.indexOf(".") + 1);
  const find = (name: string) => groups.get(groupOf(name))?.get(name);
  const namesOf = (name: string): GroupNames => {
    const group = groupOf(name);
    const names = namesByGroup.get(group) ?? new GroupNames();
    namesByGroup.set(group, names);
    return names;
  };

  /** The kinds of a definition, and which of them must be served again. */
  const learn = (entry: Entry): { readonly before: Known | undefined; readonly after: Known } => {
    const before = find(entry.name);
    const definition = definitionOf(entry);
    const ofGroup = groups.get(groupOf(entry.name)) ?? new Map<string, Known>();
    const taken = namesOf(entry.name).takenBeside(entry.name);
    const isReady = canServe(definition.spec, isTrue(definition, "Established"), catalog.environment);
    const names = isReady && mayServe(entry.name) ? servedNames(definition, taken) : undefined;
    const { uid = "", generation = 0 } = definition.metadata;
    const indexed = indexedPaths(definition.metadata).join();
    const isSame =
      before?.served?.uid === uid &&
      before.served.generation === generation &&
      before.served.indexed === indexed &&
      sameNames(before.served.names, names);
    const make = (given: DefinitionNames): Served => {
      const source = { entry };
      const isAsked = definition.spec.conversion?.strategy === "Webhook";
      const conversion = (family: Family) =>
        isAsked ? webhookConversion(family, source, caller) : noneConversion(family);
      const kinds = customKindsOf(source, { names: given, prefix, definitionPrefix, conversion });
      return { uid, generation, names: given, indexed, source, kinds, family: undefined };
    };
    const served = names === undefined ? undefined : isSame ? before.served : make(names);
    if (served !== undefined) served.source.entry = entry;
    const after = { held: heldNames(definition, taken), served };
    groups.set(groupOf(entry.name), ofGroup.set(entry.name, after));
    namesOf(entry.name).hold(entry.name, after.held);
    return { before, after };
  };

  const replace = (remove: readonly Served[], add: readonly Served[]): void => {
    const families = catalog.replace({
      remove: remove.flatMap(({ kinds }) => kinds),
      add: add.flatMap(({ kinds }) => kinds),
    });
    const byDeclaration = new Map(families.map((family) => [family.hub.declared, family]));
    for (const served of add) served.family = served.kinds[0] && byDeclaration.get(served.kinds[0]);
  };

  const list = (served: Served | undefined) => (served === undefined ? [] : [served]);
  const serve = (name: string, before: Served | undefined, after: Served | undefined): void => {
    try {
      replace(list(before), list(after));
    } catch (error) {
      log.error("a definition cannot be served", { definition: name, error });
      if (before !== undefined) replace([before], []);
    }
  };

  const follow = (entry: Entry): void => {
    const { before, after } = learn(entry);
    if (before?.served !== after.served) serve(entry.name, before?.served, after.served);
  };

  const forget = (name: string): void => {
    const ofGroup = groups.get(groupOf(name));
    const served = ofGroup?.get(name)?.served;
    ofGroup?.delete(name);
    namesOf(name).release(name);
    if ((ofGroup?.size ?? 0) === 0) {
      groups.delete(groupOf(name));
      namesByGroup.delete(groupOf(name));
    }
    if (served === undefined) return;
    replace([served], []);
    // Another server may have accepted the names of two definitions; the second one can be served now.
    for (const [other, known] of ofGroup ?? [])
      if (known.served !== undefined && known.served.family === undefined) serve(other, undefined, known.served);
  };

  const stop = registry.observe(kind, ({ entry, deleted }) => (deleted ? forget(entry.name) : follow(entry)));
  serveAll([...registry.peekAll(kind)].sort(byRank));
  return {
    familyOf: (name) => find(name)?.served?.family,
    namesHeldBy: (name) => find(name)?.held,
    namesTakenBeside: (name) => namesOf(name).takenBeside(name),
    close: stop,
  };

  /** All in one step, since each step takes a while; one by one if two of them claim the same names. */
  function serveAll(entries: readonly Entry[]): void {
    const served = entries.flatMap((entry) => list(learn(entry).after.served));
    if (served.length === 0) return;
    try {
      replace([], served);
    } catch {
      for (const [index, one] of served.entries()) serve(entries[index]?.name ?? "", undefined, one);
    }
  }
}

/** Definitions with accepted names come first, so that a restart changes nothing; then the oldest. */
function byRank(a: Entry, b: Entry): number {
  const rank = (entry: Entry) => ((definitionOf(entry).status?.conditions ?? []).length > 0 ? 0 : 1);
  const created = (entry: Entry) => definitionOf(entry).metadata.creationTimestamp ?? "";
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return created(a) < created(b) ? -1 : created(a) > created(b) ? 1 : Number(a.revision - b.revision);
}

/** A status leaves out empty names and lists. */
function sameNames(a: DefinitionNames, b: DefinitionNames | undefined): boolean {
  const given = (names: DefinitionNames) =>
    Object.fromEntries(Object.entries(names).filter(([, value]) => value.length > 0));
  return b !== undefined && sameMembers(given(a), given(b));
}
