/**
 * What every object has that an expression can be true of: `self.spec.nodeName == "n1" && size(self.spec.containers) > 1` is true only of
 * pods on n1, which an index of that field finds.
 */

import { propertyNamed } from "../cel/schema/field-names.ts";
import type { Expression } from "../cel/syntax/ast.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { IndexName, Term } from "../registry/contract/question.ts";
import { termValuesMax } from "./limits.ts";

export function termsOf(expression: Expression, kind: BoundKind): readonly Term[] {
  return conjuncts(expression).flatMap((part) => termOf(part, kind) ?? []);
}

/** The parts that must all be true. */
function conjuncts(expression: Expression): readonly Expression[] {
  const found: Expression[] = [];
  const open: Expression[] = [expression];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === "call" && next.name === "_&&_") open.push(...next.args);
    else found.push(next);
  }
  return found.reverse();
}

function termOf(expression: Expression, kind: BoundKind): Term | undefined {
  if (expression.kind !== "call") return undefined;
  const { name, args } = expression;
  const [one, other] = args;
  if (one === undefined || other === undefined) return undefined;
  if (name === "_==_") return term(one, [other], kind) ?? term(other, [one], kind);
  if (name === "@in" && other.kind === "list" && other.items.length <= termValuesMax)
    return term(one, other.items, kind);
  return undefined;
}

function term(place: Expression, literals: readonly Expression[], kind: BoundKind): Term | undefined {
  const path = pathOf(place);
  const index = path && indexOf(path, kind);
  if (index === undefined) return undefined;
  const values = literals.map(textsOf);
  return values.every((some) => some !== undefined) ? { index, values: [...new Set(values.flat())] } : undefined;
}

/** `self.metadata.labels["app"]`: its steps after `self`. */
function pathOf(expression: Expression): readonly string[] | undefined {
  const steps: string[] = [];
  let at = expression;
  for (;;) {
    if (at.kind === "select" && at.mode === "value") {
      const property = propertyNamed(at.field);
      if (property === undefined) return undefined;
      steps.unshift(property);
      at = at.operand;
    } else if (at.kind === "call" && at.name === "_[_]") {
      const [operand, key] = at.args;
      if (operand === undefined || key?.kind !== "literal" || typeof key.value !== "string") return undefined;
      steps.unshift(key.value);
      at = operand;
    } else return at.kind === "identifier" && at.name === "self" ? steps : undefined;
  }
}

function indexOf(path: readonly string[], kind: BoundKind): IndexName | undefined {
  const [first, second, third, ...more] = path;
  if (first === "metadata" && second === "labels" && third !== undefined && more.length === 0) return `label ${third}`;
  const text = path.join(".");
  if (text === "metadata.name" || (text === "metadata.namespace" && kind.namespaced)) return `field ${text}`;
  const { selectableFields = {}, indexedFields = {} } = kind.family.strategy;
  const isIndexed = Object.hasOwn(selectableFields, text) || Object.hasOwn(indexedFields, text);
  // Their texts are read from the hub, and only its own names are surely those of the fields.
  return isIndexed && kind.declared === kind.family.hub.declared ? `field ${text}` : undefined;
}

/** The texts under which an index may have a value: what is zero may also be absent, whose text is empty. */
function textsOf(literal: Expression): readonly string[] | undefined {
  if (literal.kind !== "literal") return undefined;
  const { value } = literal;
  if (typeof value === "string") return [value];
  if (typeof value === "bigint") return value === 0n ? ["0", ""] : [String(value)];
  if (typeof value === "boolean") return value ? ["true"] : ["false", ""];
  return undefined;
}
