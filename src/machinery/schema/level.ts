/**
 * The level of a server: the release whose API it serves. Declarations describe all levels at once; what came, went or changed
 * says so where it is declared. Binding leaves what exists at one level, so nothing asks for the level afterwards.
 */

import {
  type Changes,
  changesUntil,
  Dated,
  existsIn,
  isSince,
  type Release,
  type Span,
  valuesIn,
} from "../../base/release.ts";
import type { BoundKind } from "./catalog.ts";
import type { ApiObject, Column, Kind } from "./kind.ts";
import { ObjectMetaStruct } from "./object-meta.ts";
import { createRewrite, type Rewrite } from "./rewrite.ts";
import type { Rule } from "./rule.ts";
import type { Field, Schema, StructSchema } from "./schema.ts";
import { splitStrategy } from "./strategy.ts";

export type Level = "1.21" | "1.35";

/** The lowest first. */
export const levels: readonly Level[] = ["1.21", "1.35"];

/** The level of a server that names none: that of the specification. */
export const levelDefault: Level = "1.21";

/** Declarations as they are at one level. */
export interface AtLevel {
  /** Without the fields that do not exist there. */
  readonly schema: Rewrite;
  kind<Group>(declared: Kind<ApiObject, Group>): Kind<ApiObject, Group>;
  /** Undefined: the field does not exist. */
  field(declared: Field): Field | undefined;
  /** Whether something exists. */
  has(span: Span): boolean;
  /** Whether the level is this release or a later one. */
  since(release: Release): boolean;
}

/** Whether the level of its server has this version. Otherwise the version is only known to the store. */
export function isOfLevel({ declared: { since, until, deprecated }, family }: BoundKind): boolean {
  return existsIn(family.environment.level, { since, until: until ?? deprecated?.removed });
}

/** The metadata that objects have at the level of the kind's server. */
export function metadataOf({ family }: BoundKind): StructSchema {
  return atLevel(family.environment.level).schema(ObjectMetaStruct.schema as StructSchema); // made by struct()
}

/** Servers of one level share the schemas, and so what is made of them. */
const known = new Map<Level, AtLevel>();

export function atLevel(level: Level): AtLevel {
  const found = known.get(level);
  if (found !== undefined) return found;
  const made = createAtLevel(level);
  known.set(level, made);
  return made;
}

function createAtLevel(level: Level): AtLevel {
  const has = (span: Span) => existsIn(level, span);
  const schema = createRewrite({
    name: (name, declared) => (has(declared.span) ? name : undefined),
    field: (declared) => fieldAt(level, declared),
    schema<S extends Schema>(declared: S): S {
      // A schema only has changes of its own members.
      const changes = "from" in declared ? changesUntil(level, declared.from as Changes<S>) : undefined;
      return changes === undefined ? declared : { ...declared, ...changes };
    },
  });
  const columnLists = new WeakMap<readonly Column[], readonly Column[]>();
  const columnsAt = (declared: readonly Column[]): readonly Column[] => {
    // Versions that share the columns of their hub share them afterwards as well.
    const made = columnLists.get(declared) ?? declared.filter(has);
    columnLists.set(declared, made);
    return made;
  };
  // Requests ask again and again about the few releases that code names, and reading both texts takes longer than the answer.
  const passed = new Map<Release, boolean>();
  const since = (release: Release): boolean => {
    const known = passed.get(release);
    if (known !== undefined) return known;
    const made = isSince(level, release);
    passed.set(release, made);
    return made;
  };

  return {
    schema,
    field: (declared) => (has(declared.span) ? fieldAt(level, declared) : undefined),
    has,
    since,
    kind(declared) {
      const { strategy, info } = splitStrategy({ ...declared.strategy, ...changesUntil(level, declared.from) });
      const { columns, subresources, deprecated, ...same } = { ...declared, ...info };
      return {
        ...same,
        schema: schema(declared.schema),
        strategy,
        ...(columns === undefined ? {} : { columns: columnsAt(columns) }),
        ...(subresources === undefined ? {} : { subresources: subresources.filter(has) }),
        ...(deprecated !== undefined && has({ since: deprecated.since }) ? { deprecated } : {}),
      };
    },
  };
}

function fieldAt(level: Level, field: Field): Field {
  let at = field;
  for (const { span, change } of field.changes) if (existsIn(level, span)) at = change(at);
  if (!at.rules.some(isDated)) return at;
  return at.with({ rules: at.rules.map((rule) => ruleAt(level, rule)) });
}

const isDated = (rule: Rule): boolean => rule.rule === "oneOf" && rule.values.some((value) => value instanceof Dated);

const ruleAt = (level: Level, rule: Rule): Rule =>
  rule.rule === "oneOf" ? { ...rule, values: valuesIn(level, rule.values) } : rule;
