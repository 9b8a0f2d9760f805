/** Kinds at a level: what their declarations say there. Nothing asks for the level afterwards. */

import { changesUntil, existsIn } from "../../base/release.ts";
import type { BoundKind } from "./catalog.ts";
import { type AtLevel, atLevel } from "./field-level.ts";
import type { ApiObject, Column, Kind } from "./kind.ts";
import { ObjectMetaStruct } from "./object-meta.ts";
import type { StructSchema } from "./schema.ts";
import { splitStrategy } from "./strategy.ts";

/** Whether the level of its server has this version. Otherwise the version is only known to the store. */
export function isOfLevel({ declared: { since, until, deprecated }, family }: BoundKind): boolean {
  return existsIn(family.environment.level, { since, until: until ?? deprecated?.removed });
}

/** The metadata that objects have at the level of the kind's server. */
export function metadataOf({ family }: BoundKind): StructSchema {
  return atLevel(family.environment.level).schema(ObjectMetaStruct.schema as StructSchema); // made by struct()
}

/** The declaration as it is at a level. */
export function kindAt<Group>(at: AtLevel, declared: Kind<ApiObject, Group>): Kind<ApiObject, Group> {
  const { strategy, info } = splitStrategy({ ...declared.strategy, ...changesUntil(at.level, declared.from) });
  const { columns, subresources, deprecated, ...same } = { ...declared, ...info };
  return {
    ...same,
    schema: at.schema(declared.schema),
    strategy,
    ...(columns === undefined ? {} : { columns: columnsAt(at, columns) }),
    ...(subresources === undefined ? {} : { subresources: subresources.filter(at.has) }),
    ...(deprecated !== undefined && at.has({ since: deprecated.since }) ? { deprecated } : {}),
  };
}

const columnLists = new WeakMap<AtLevel, WeakMap<readonly Column[], readonly Column[]>>();

/** Versions that share the columns of their hub share them afterwards as well. */
function columnsAt(at: AtLevel, declared: readonly Column[]): readonly Column[] {
  const lists = columnLists.get(at) ?? new WeakMap<readonly Column[], readonly Column[]>();
  columnLists.set(at, lists);
  const made = lists.get(declared) ?? declared.filter(at.has);
  lists.set(declared, made);
  return made;
}
