/** Finds the type of each part of an expression, and the overloads that its calls may mean. */

import type { Overload } from "../library/declaration.ts";
import { problemsMax, typePartsMax } from "../limits.ts";
import type { Problem } from "../problems.ts";
import type {
  CallExpression,
  ComprehensionExpression,
  Expression,
  IdentifierExpression,
  ListExpression,
  MapExpression,
  SelectExpression,
  StructExpression,
} from "../syntax/ast.ts";
import { reservedWords } from "../syntax/reserved-words.ts";
import { mayFit, mostGeneral, Substitution } from "../types/substitution.ts";
import {
  bool,
  dyn,
  errorType,
  int,
  listOf,
  mapOf,
  type ObjectType,
  optionalOf,
  partsOf,
  type Type,
  typeName,
  typeOf,
} from "../types/types.ts";
import { freshParams, literalType } from "./fresh-types.ts";
import { typeConstants } from "./type-constants.ts";

interface Declarations {
  /** A name may have dots: `authorizer.requestResource`. */
  readonly variables: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** Whether the release has the overload. Where types are known only when it is evaluated, every overload may be meant. */
  isOffered(overload: Overload): boolean;
  /** A field named by a reserved word must be escaped: `self.__namespace__`. */
  readonly escapesReserved: boolean;
  /** The type that `Name{field: value}` makes; undefined: there is none of that name. */
  structType(name: string): ObjectType | undefined;
}

/** What a call means: overloads whose parameters fit the types of the arguments. */
export interface Resolution {
  readonly name: string;
  /** All arguments; of a member the first is the target. */
  readonly args: readonly Expression[];
  readonly overloads: readonly Overload[];
}

/** What an identifier, or a chain of them, means. */
type ResolvedReference =
  /** Global: `.x`, whatever variables of loops have that name. */
  | { readonly kind: "variable"; readonly name: string; readonly isGlobal: boolean }
  | { readonly kind: "type"; readonly name: string };

export interface CheckedExpression {
  readonly expression: Expression;
  readonly problems: readonly Problem[];
  typeOf(expression: Expression): Type;
  readonly resolutions: ReadonlyMap<CallExpression, Resolution>;
  readonly references: ReadonlyMap<Expression, ResolvedReference>;
  /** Lists and maps whose items must have one type, which arguments of `format` need not. */
  readonly aggregates: readonly (ListExpression | MapExpression)[];
}

export function check(expression: Expression, declarations: Declarations): CheckedExpression {
  return new Checker(declarations).check(expression);
}

class Checker {
  readonly #declarations: Declarations;
  readonly #problems: Problem[] = [];
  readonly #types = new Map<Expression, Type>();
  readonly #resolutions = new Map<CallExpression, Resolution>();
  readonly #references = new Map<Expression, ResolvedReference>();
  readonly #aggregates: (ListExpression | MapExpression)[] = [];
  readonly #substitution = new Substitution();
  /** Calls of `format` around the part that is checked: their arguments may have different types. */
  #formats = 0;
  /** Variables of comprehensions, innermost last. */
  readonly #locals: (readonly [string, Type])[] = [];

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  check(expression: Expression): CheckedExpression {
    this.#visit(expression);
    return {
      expression,
      problems: this.#problems,
      typeOf: (part) => this.#substitution.apply(this.#types.get(part) ?? dyn, true),
      resolutions: this.#resolutions,
      references: this.#references,
      aggregates: this.#aggregates,
    };
  }

  #undefinedField(offset: number, field: string): Type {
    return this.#report(offset, `undefined field '${field}'`);
  }

  #report(offset: number, message: string): Type {
    if (this.#problems.length < problemsMax) this.#problems.push({ offset, message });
    return errorType;
  }

  #visit(expression: Expression): Type {
    const found = this.#typeOf(expression);
    const isTooLarge = partsOf(found) > typePartsMax;
    const type = isTooLarge
      ? this.#report(expression.offset, `the type of an expression may have at most ${typePartsMax} parts`)
      : found;
    this.#types.set(expression, type);
    return type;
  }

  #typeOf(expression: Expression): Type {
    switch (expression.kind) {
      case "literal":
        return literalType(expression.value);
      case "identifier":
        return this.#identifier(expression);
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(expression);
      case "map":
        return this.#map(expression);
      case "struct":
        return this.#struct(expression);
      case "comprehension":
        return this.#comprehension(expression);
    }
  }

  #undeclared(offset: number, name: string): Type {
    return this.#report(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #identifier(expression: IdentifierExpression): Type {
    return this.#reference(expression, expression.name) ?? this.#undeclared(expression.offset, expression.name);
  }

  /** The type of a variable, or of a type that is named. */
  #reference(expression: Expression, name: string): Type | undefined {
    if (!name.startsWith(".")) {
      const local = this.#locals.findLast(([known]) => known === name);
      if (local !== undefined) {
        this.#references.set(expression, { kind: "variable", name, isGlobal: false });
        return local[1];
      }
    }
    const absolute = name.replace(/^\./, "");
    const variable = this.#declarations.variables.get(absolute);
    if (variable !== undefined) {
      this.#references.set(expression, { kind: "variable", name: absolute, isGlobal: name.startsWith(".") });
      return variable;
    }
    const type = typeConstants.get(absolute);
    if (type === undefined) return undefined;
    this.#references.set(expression, { kind: "type", name: absolute });
    return typeOf(type);
  }

  /** "a.b.c" of a chain of names whose first is not the variable of a loop. */
  #qualifiedName(expression: Expression): string | undefined {
    if (expression.kind === "identifier")
      return this.#locals.some(([name]) => name === expression.name) ? undefined : expression.name;
    if (expression.kind !== "select" || expression.mode !== "value") return undefined;
    const prefix = this.#qualifiedName(expression.operand);
    return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
  }

  #select(expression: SelectExpression): Type {
    if (expression.mode === "value") {
      const name = this.#qualifiedName(expression);
      const known = name === undefined ? undefined : this.#reference(expression, name);
      if (known !== undefined) return known;
    }
    const operand = this.#substitution.apply(this.#visit(expression.operand));
    const isChain = operand.kind === "optional";
    const field = this.#fieldType(isChain ? operand.item : operand, expression);
    if (expression.mode === "test") return bool;
    if (field.kind === "error") return field;
    return isChain || expression.mode === "optional" ? optionalOf(field) : field;
  }

  #fieldType(operand: Type, { field, offset }: SelectExpression): Type {
    switch (operand.kind) {
      case "object":
        if (this.#declarations.escapesReserved && reservedWords.has(field)) return this.#undefinedField(offset, field);
        return fieldOf(operand, field) ?? this.#undefinedField(offset, field);
      case "map":
        return operand.value;
      case "param":
        this.#substitution.isAssignable(operand, dyn);
        return dyn;
      case "dyn":
      case "error":
        return operand;
      default:
        return this.#report(offset, `type '${typeName(operand)}' does not support field selection`);
    }
  }

  #call(expression: CallExpression): Type {
    const { name, target, args, offset } = expression;
    if (target === undefined) return this.#resolve(expression, name.replace(/^\./, ""), args, undefined);
    const prefix = this.#qualifiedName(target);
    if (prefix !== undefined) {
      const whole = `${prefix}.${name}`.replace(/^\./, "");
      if (this.#declarations.functions.has(whole)) return this.#resolve(expression, whole, args, undefined);
    }
    if (!this.#declarations.functions.has(name)) {
      for (const part of [target, ...args]) this.#visit(part);
      return this.#undeclared(offset, name);
    }
    return this.#resolve(expression, name, [target, ...args], target);
  }

  #resolve(
    expression: CallExpression,
    name: string,
    args: readonly Expression[],
    target: Expression | undefined,
  ): Type {
    if (name === "format") this.#formats++;
    const types = args.map((arg) => this.#visit(arg));
    if (name === "format") this.#formats--;
    const overloads = this.#declarations.functions.get(name);
    if (overloads === undefined) return this.#undeclared(expression.offset, name);
    if (types.some(({ kind }) => kind === "error")) return errorType;
    const isDynamic = types.some(({ kind }) => kind === "dyn");
    const matching: Overload[] = [];
    let result: Type | undefined;
    for (const candidate of overloads) {
      if (candidate.isMember !== (target !== undefined) || candidate.params.length !== args.length) continue;
      // Most overloads are ruled out by kinds alone, which costs nothing.
      if (!types.every((type, at) => mayFit(type, candidate.params[at]!))) continue;
      if (!isDynamic && !this.#declarations.isOffered(candidate)) continue;
      const fresh = freshParams(candidate, this.#substitution);
      if (!this.#substitution.areAssignable(types, fresh.params)) continue;
      matching.push(candidate);
      const type = this.#substitution.apply(fresh.result);
      if (result === undefined) result = type;
      else if (result.kind !== "dyn" && typeName(type) !== typeName(result)) result = dyn;
    }
    if (result === undefined) {
      const shown = types.map((type) => typeName(this.#substitution.apply(type, true)));
      const applied = target === undefined ? `(${shown.join(", ")})` : `${shown[0]}.(${shown.slice(1).join(", ")})`;
      return this.#report(expression.offset, `found no matching overload for '${name}' applied to '${applied}'`);
    }
    this.#resolutions.set(expression, { name, args, overloads: matching });
    return result;
  }

  #list(expression: ListExpression): Type {
    const { items, optionals } = expression;
    if (this.#formats === 0 && items.length > 1) this.#aggregates.push(expression);
    let type: Type | undefined;
    for (const [at, item] of items.entries()) {
      const found = this.#visit(item);
      type = this.#join(item, type, optionals.has(at) ? this.#inner(item, found) : found);
    }
    return listOf(type ?? this.#substitution.fresh());
  }

  #map(expression: MapExpression): Type {
    const { entries } = expression;
    if (this.#formats === 0 && entries.length > 1) this.#aggregates.push(expression);
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of entries) {
      key = this.#join(entry.key, key, this.#visit(entry.key));
      const found = this.#visit(entry.value);
      value = this.#join(entry.value, value, entry.isOptional ? this.#inner(entry.value, found) : found);
    }
    return mapOf(key ?? this.#substitution.fresh(), value ?? this.#substitution.fresh());
  }

  #struct({ name, fields, offset }: StructExpression): Type {
    const type = this.#declarations.structType(name.replace(/^\./, ""));
    if (type === undefined) return this.#undeclared(offset, name);
    for (const field of fields) {
      const found = this.#visit(field.value);
      const declared = fieldOf(type, field.name);
      if (declared === undefined) this.#report(field.offset, `undefined field '${field.name}'`);
      else this.#expect(field.value, field.isOptional ? this.#inner(field.value, found) : found, declared);
    }
    return type;
  }

  /** The type of an item that may be left out. */
  #inner(expression: Expression, type: Type): Type {
    const found = this.#substitution.apply(type);
    if (found.kind === "optional") return found.item;
    if (found.kind === "dyn" || found.kind === "error") return found;
    return this.#report(
      expression.offset,
      `expected type 'optional_type(${typeName(found)})' but found '${typeName(found)}'`,
    );
  }

  /** Items of a list, and keys and values of a map, have one type. */
  #join(expression: Expression, before: Type | undefined, type: Type): Type {
    // Most lists are of one simple type.
    if (before === undefined || before === type) return type;
    if (this.#substitution.isAssignable(before, type)) return mostGeneral(before, type);
    if (this.#formats > 0) return dyn;
    const [expected, found] = [before, type].map((each) => typeName(this.#substitution.apply(each, true)));
    this.#report(expression.offset, `expected type '${expected}' but found '${found}'`);
    return before;
  }

  #comprehension(expression: ComprehensionExpression): Type {
    const { range, variable, variable2, accumulator, initial, condition, step, result } = expression;
    const rangeType = this.#substitution.apply(this.#visit(range));
    const initialType = this.#visit(initial);
    const [first, second] = this.#variableTypes(range, rangeType, variable2 !== undefined);
    this.#locals.push([accumulator, initialType]);
    this.#locals.push([variable, first]);
    if (variable2 !== undefined) this.#locals.push([variable2, second]);
    this.#expect(condition, this.#visit(condition), bool);
    this.#expect(step, this.#visit(step), initialType);
    this.#locals.length -= variable2 === undefined ? 1 : 2;
    const type = this.#visit(result);
    this.#locals.pop();
    return this.#substitution.apply(type);
  }

  #variableTypes(expression: Expression, range: Type, isPair: boolean): [Type, Type] {
    switch (range.kind) {
      case "list":
        return isPair ? [int, range.item] : [range.item, dyn];
      case "map":
        return [range.key, range.value];
      case "dyn":
      case "error":
        return [dyn, dyn];
      case "param":
        this.#substitution.isAssignable(range, dyn);
        return [dyn, dyn];
      default:
        this.#report(
          expression.offset,
          `expression of type '${typeName(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }

  #expect(expression: Expression, found: Type, expected: Type): void {
    if (this.#substitution.isAssignable(found, expected)) return;
    const [wanted, is] = [expected, found].map((type) => typeName(this.#substitution.apply(type, true)));
    this.#report(expression.offset, `expected type '${wanted}' but found '${is}'`);
  }
}

const fieldOf = ({ fields, isOpen }: ObjectType, name: string): Type | undefined =>
  fields.get(name) ?? (isOpen ? dyn : undefined);
