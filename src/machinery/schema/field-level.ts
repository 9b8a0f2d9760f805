/**
 * Schemas at a level. Declarations describe all levels at once; what came, went or changed says so where it is declared. Binding
 * leaves what exists at one level.
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
import { createRewrite, type Rewrite } from "./rewrite.ts";
import type { Rule } from "./rule.ts";
import type { Field, Schema } from "./schema.ts";

/** Declarations as they are at one level. */
export interface AtLevel {
  readonly level: Release;
  /** Without the fields that do not exist there. */
  readonly schema: Rewrite;
  /** Undefined: the field does not exist. */
  field(declared: Field): Field | undefined;
  /** Whether something exists. */
  has(span: Span): boolean;
  /** Whether the level is this release or a later one. */
  since(release: Release): boolean;
}

/** Servers of one level share the schemas, and so what is made of them. */
const known = new Map<Release, AtLevel>();

export function atLevel(level: Release): AtLevel {
  const found = known.get(level);
  if (found !== undefined) return found;
  const made = createAtLevel(level);
  known.set(level, made);
  return made;
}

function createAtLevel(level: Release): AtLevel {
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
    level,
    schema,
    field: (declared) => (has(declared.span) ? fieldAt(level, declared) : undefined),
    has,
    since,
  };
}

function fieldAt(level: Release, field: Field): Field {
  let at = field;
  for (const { span, change } of field.changes) if (existsIn(level, span)) at = change(at);
  if (!at.rules.some(isDated)) return at;
  return at.with({ rules: at.rules.map((rule) => ruleAt(level, rule)) });
}

const isDated = (rule: Rule): boolean => rule.rule === "oneOf" && rule.values.some((value) => value instanceof Dated);

const ruleAt = (level: Release, rule: Rule): Rule =>
  rule.rule === "oneOf" ? { ...rule, values: valuesIn(level, rule.values) } : rule;
