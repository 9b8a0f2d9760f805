/** What an expression may cost at most, from its types and the bounds of its variables. */

import type { Release } from "../base/release.ts";
import type { CheckedExpression } from "./check/checker.ts";
import { listCost, mapCost, selectCost, structCost } from "./cost/constants.ts";
import { add, type CostRange, exactly, multiply, one, union, unknownRange, zero } from "./cost/range.ts";
import { hasPart, type LanguagePart } from "./language.ts";
import type { CallEstimate, EstimatedCall, Overload, SizedNode } from "./library/declaration.ts";
import type { CallExpression, ComprehensionExpression, Expression, SelectExpression } from "./syntax/ast.ts";
import type { Type } from "./types/types.ts";
import { textSize } from "./values/size.ts";
import { Bytes } from "./values/values.ts";

/**
 * The largest size of a value that a path of variables leads to: ["self", "names", "@items"] is an item of the list `self.names`. Keys of
 * maps are "@keys", values "@values", positions in lists "@indices". Undefined: not known. As in the reference, the path of an item of a list
 * that does not come from a variable begins with "@items".
 */
export type SizeBound = (path: readonly string[]) => number | undefined;

export function estimateCost(checked: CheckedExpression, bound: SizeBound, level: Release | undefined): CostRange {
  const has = (part: LanguagePart) => level === undefined || hasPart(level, part);
  return new Estimator(checked, bound, has).cost(checked.expression);
}

interface EntrySize {
  readonly isList: boolean;
  readonly key: CostRange;
  readonly value: CostRange;
}

interface Local {
  readonly path: readonly string[];
  readonly size: CostRange | undefined;
  readonly entry: EntrySize | undefined;
}

class Estimator {
  readonly #checked: CheckedExpression;
  readonly #bound: SizeBound;
  readonly #has: (part: LanguagePart) => boolean;
  readonly #locals = new Map<string, Local[]>();
  readonly #paths = new Map<Expression, readonly string[]>();
  readonly #sizes = new Map<Expression, CostRange>();
  readonly #entries = new Map<Expression, EntrySize>();

  constructor(checked: CheckedExpression, bound: SizeBound, has: (part: LanguagePart) => boolean) {
    this.#checked = checked;
    this.#bound = bound;
    this.#has = has;
  }

  cost(expression: Expression): CostRange {
    switch (expression.kind) {
      case "literal":
        return zero;
      case "struct":
        return expression.fields.reduce((sum, { value }) => add(sum, this.cost(value)), exactly(structCost));
      case "identifier":
        this.#paths.set(expression, this.#local(expression.name)?.path ?? [expression.name]);
        return exactly(selectCost);
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(expression, expression.items);
      case "map": {
        const keys = expression.entries.map(({ key }) => key);
        const values = expression.entries.map(({ value }) => value);
        const cost = [...keys, ...values].reduce((sum, part) => add(sum, this.cost(part)), exactly(mapCost));
        this.#entries.set(expression, { isList: false, key: this.#unionSize(keys), value: this.#unionSize(values) });
        return cost;
      }
      case "comprehension":
        return expression.macro === "bind" ? this.#bind(expression) : this.#comprehension(expression);
    }
  }

  #list(expression: Expression, items: readonly Expression[]): CostRange {
    const cost = items.reduce((sum, item) => add(sum, this.cost(item)), exactly(listCost));
    this.#entries.set(expression, { isList: true, key: one, value: this.#unionSize(items) });
    return cost;
  }

  #unionSize(parts: readonly Expression[]): CostRange {
    if (parts.length === 0) return zero;
    return parts.map((part) => this.#size(part)).reduce(union);
  }

  #select(expression: SelectExpression): CostRange {
    const { operand, field, mode } = expression;
    const reference = this.#checked.references.get(expression);
    if (reference !== undefined) {
      this.#paths.set(expression, [reference.name]);
      return exactly(selectCost);
    }
    const cost = this.cost(operand);
    if (mode === "test") return cost;
    // As in the reference, what may be absent begins a path of its own.
    if (mode === "value") this.#paths.set(expression, [...this.#path(operand), field]);
    const { kind } = this.#checked.typeOf(operand);
    return kind === "map" || kind === "object" || mode === "optional" ? add(cost, exactly(selectCost)) : cost;
  }

  #call(expression: CallExpression): CostRange {
    const resolution = this.#checked.resolutions.get(expression);
    if (resolution === undefined) return zero;
    const { name, args, overloads } = resolution;
    const costs = args.map((arg) => this.cost(arg));
    const all = costs.reduce(add, zero);
    if (name === "_&&_" || name === "_||_") return { min: costs[0]!.min, max: all.max };
    if (name === "_?_:_") {
      this.#sizes.set(expression, union(this.#size(args[1]!), this.#size(args[2]!)));
      this.#keepEntry(expression, unionEntry(this.#entry(args[1]!), this.#entry(args[2]!)));
      return add(costs[0]!, union(costs[1]!, costs[2]!));
    }
    if (name === "dyn") {
      const size = this.#sizeOrNone(args[0]!);
      if (size !== undefined) this.#sizes.set(expression, size);
      this.#keepEntry(expression, this.#entry(args[0]!));
      return add(all, one);
    }
    const call = this.#estimatedCall(args);
    const estimates = overloads.map((overload) => overload.estimate?.(call) ?? ({ cost: one } as CallEstimate));
    const sizes = estimates.flatMap(({ size }) => (size === undefined ? [] : [size]));
    if (sizes.length > 0) this.#sizes.set(expression, sizes.reduce(union));
    if (name === "_[_]") this.#index(expression, args[0]!, overloads);
    if (name === "_+_") this.#keepEntry(expression, unionEntry(this.#entry(args[0]!), this.#entry(args[1]!)));
    return add(all, estimates.map(({ cost }) => cost).reduce(union));
  }

  /** An index of an optional has no path. Where the operand may be a list or a map, the size is that of a list if it is known. */
  #index(expression: Expression, operand: Expression, overloads: readonly Overload[]): void {
    for (const { params } of overloads) {
      const kind = params[0]?.kind;
      if (kind !== "list" && kind !== "map") continue;
      this.#paths.set(expression, [...this.#path(operand), kind === "list" ? "@items" : "@values"]);
      const size = this.#entry(operand)?.value ?? this.#sizeOrNone(expression);
      if (size !== undefined) this.#sizes.set(expression, size);
    }
  }

  #estimatedCall(args: readonly Expression[]): EstimatedCall {
    return {
      args: args.map((arg) => ({ type: this.#checked.typeOf(arg), expression: arg, size: this.#size(arg) })),
      has: this.#has,
      itemOf: (node) => this.#itemOf(node),
    };
  }

  #itemOf({ type, expression }: SizedNode): SizedNode | undefined {
    if (type.kind !== "list") return undefined;
    const path = expression === undefined ? [] : this.#path(expression);
    const max = path.length === 0 ? undefined : this.#bound([...path, "@items"]);
    const size = max !== undefined ? { min: 0, max } : (scalarSize(type.item) ?? unknownRange);
    return { type: type.item, expression: undefined, size };
  }

  #comprehension(expression: ComprehensionExpression): CostRange {
    const { range, variable, variable2, accumulator, initial, condition, step, result } = expression;
    const before = add(this.cost(range), this.cost(initial));
    this.#push(accumulator, {
      path: this.#path(initial),
      size: this.#sizeOrNone(initial),
      entry: this.#entry(initial),
    });
    const entry = this.#entry(range);
    const path = this.#path(range);
    const type = this.#checked.typeOf(range);
    const isList = entry?.isList ?? type.kind === "list";
    const pushValue = (name: string) =>
      this.#push(name, { path: [...path, isList ? "@items" : "@values"], size: entry?.value, entry: undefined });
    const pushKey = (name: string) =>
      this.#push(name, { path: [...path, isList ? "@indices" : "@keys"], size: entry?.key, entry: undefined });
    if (variable2 !== undefined) {
      pushKey(variable);
      pushValue(variable2);
    } else if (isList) pushValue(variable);
    else pushKey(variable);
    const each = add(this.cost(condition), this.cost(step));
    const stepEntry = this.#entry(step);
    this.#pop(variable);
    if (variable2 !== undefined) this.#pop(variable2);
    const after = this.cost(result);
    this.#pop(accumulator);
    const count = this.#size(range);
    if (initial.kind === "literal") this.#sizes.set(expression, this.#size(initial));
    else if (this.#has("comprehensionSizes")) {
      this.#sizes.set(expression, count);
      this.#keepEntry(expression, stepEntry);
    }
    return add(add(before, after), multiply(count, each));
  }

  /** Costs as much as a loop over an empty list. */
  #bind(expression: ComprehensionExpression): CostRange {
    const { range, accumulator, initial, result } = expression;
    const before = add(this.cost(range), this.cost(initial));
    this.#push(accumulator, {
      path: this.#path(initial),
      size: this.#sizeOrNone(initial),
      entry: this.#entry(initial),
    });
    const after = this.cost(result);
    this.#sizes.set(expression, this.#size(result));
    this.#keepEntry(expression, this.#entry(result));
    this.#pop(accumulator);
    return add(before, after);
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }
  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }
  #pop(name: string): void {
    this.#locals.get(name)!.pop();
  }

  /** Empty: the value does not come from a variable. */
  #path(expression: Expression): readonly string[] {
    if (expression.kind === "identifier") {
      const local = this.#local(expression.name);
      if (local !== undefined) return local.path;
    }
    return this.#paths.get(expression) ?? [];
  }

  #size(expression: Expression): CostRange {
    return this.#sizeOrNone(expression) ?? unknownRange;
  }

  #sizeOrNone(expression: Expression): CostRange | undefined {
    const known = this.#sizes.get(expression) ?? literalSize(expression);
    if (known !== undefined) return known;
    const path = this.#path(expression);
    if (path.length > 0) {
      const max = this.#bound(path);
      if (max !== undefined) return { min: 0, max };
    }
    const scalar = scalarSize(this.#checked.typeOf(expression));
    if (scalar !== undefined) return scalar;
    return expression.kind === "identifier" ? this.#local(expression.name)?.size : undefined;
  }

  #entry(expression: Expression): EntrySize | undefined {
    const known = this.#entries.get(expression);
    if (known !== undefined || expression.kind !== "identifier") return known;
    return this.#local(expression.name)?.entry;
  }

  #keepEntry(expression: Expression, entry: EntrySize | undefined): void {
    if (entry !== undefined) this.#entries.set(expression, entry);
  }
}

function unionEntry(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  return a && b && { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function literalSize(expression: Expression): CostRange | undefined {
  switch (expression.kind) {
    case "literal":
      if (typeof expression.value === "string") return exactly(textSize(expression.value));
      return expression.value instanceof Bytes ? exactly(expression.value.value.length) : one;
    case "list":
      return exactly(expression.items.length);
    case "map":
      return exactly(expression.entries.length);
    default:
      return undefined;
  }
}

/** Numbers have a size of one; texts have any. */
function scalarSize(type: Type): CostRange | undefined {
  switch (type.kind) {
    case "bool":
    case "double":
    case "duration":
    case "int":
    case "timestamp":
    case "uint":
      return one;
    case "optional":
      return scalarSize(type.item);
    default:
      return undefined;
  }
}
