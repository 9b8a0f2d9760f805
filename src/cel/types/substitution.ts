/** Which types the parameters of overloads stand for, and whether one type may be used where another is expected. */

import { dyn, listOf, mapOf, optionalOf, type Type, typeOf } from "./types.ts";

/**
 * Grows while an expression is checked. `isAssignable` adds what it learns and takes it back if it fails:
 *
 *   list(T) from list(int)        T = int
 *   T from int, then T from dyn   T = dyn, the more general one
 */
export class Substitution {
  #bound = new Map<string, Type>();
  #undo: [string, Type | undefined][] = [];
  #fresh = 0;

  /** A parameter that no other overload shares. */
  fresh(): Type {
    return { kind: "param", name: `_var${this.#fresh++}` };
  }

  /** Whether every type of `from` may be used where the one of `to` is expected. */
  areAssignable(from: readonly Type[], to: readonly Type[]): boolean {
    const mark = this.#undo.length;
    if (from.length === to.length && from.every((type, at) => this.#assign(type, to[at]!))) return true;
    this.#rollBack(mark);
    return false;
  }

  isAssignable(from: Type, to: Type): boolean {
    return this.areAssignable([from], [to]);
  }

  /** The type with all that is known of its parameters; with `unknownAsDyn` the others are dyn. */
  apply(type: Type, unknownAsDyn = false): Type {
    switch (type.kind) {
      case "param": {
        const bound = this.#bound.get(type.name);
        return bound !== undefined ? this.apply(bound, unknownAsDyn) : unknownAsDyn ? dyn : type;
      }
      case "list":
        return listOf(this.apply(type.item, unknownAsDyn));
      case "map":
        return mapOf(this.apply(type.key, unknownAsDyn), this.apply(type.value, unknownAsDyn));
      case "optional":
        return optionalOf(this.apply(type.item, unknownAsDyn));
      case "type":
        return typeOf(this.apply(type.of, unknownAsDyn));
      default:
        return type;
    }
  }

  #assign(from: Type, to: Type): boolean {
    if (from === to) return true;
    if (to.kind === "param") {
      if (from.kind === "param" && from.name === to.name) return true;
      const answer = this.#substitute(to.name, from);
      if (answer !== undefined) return answer;
    }
    if (from.kind === "param") return this.#substitute(from.name, to) ?? false;
    if (isAnything(from) || isAnything(to)) return true;
    if (from.kind === "null") return to.kind === "null" || isNullable(to);
    switch (to.kind) {
      case "list":
        return from.kind === "list" && this.#assign(from.item, to.item);
      case "map":
        return from.kind === "map" && this.#assign(from.key, to.key) && this.#assign(from.value, to.value);
      case "optional":
        return from.kind === "optional" && this.#assign(from.item, to.item);
      case "type":
        return from.kind === "type";
      case "object":
        return from.kind === "object" && from.name === to.name;
      default:
        return from.kind === to.kind;
    }
  }

  /** Whether the parameter may be the other type; undefined if it is part of it. */
  #substitute(name: string, other: Type): boolean | undefined {
    const known = this.#bound.get(name);
    if (known === undefined) {
      if (this.#occurs(name, other)) return undefined;
      this.#bind(name, other);
      return true;
    }
    const mark = this.#undo.length;
    if (!this.#assign(other, known)) {
      // Null comes before what it stands for: `null == duration('1s')`.
      this.#rollBack(mark);
      if (!this.#assign(known, other)) return false;
    }
    const general = mostGeneral(other, known);
    if (general !== known && !this.#occurs(name, general)) this.#bind(name, general);
    return true;
  }

  #bind(name: string, type: Type): void {
    this.#undo.push([name, this.#bound.get(name)]);
    this.#bound.set(name, type);
  }

  #rollBack(mark: number): void {
    while (this.#undo.length > mark) {
      const [name, before] = this.#undo.pop()!;
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
  }

  #occurs(name: string, type: Type): boolean {
    switch (type.kind) {
      case "param": {
        if (type.name === name) return true;
        const bound = this.#bound.get(type.name);
        return bound !== undefined && this.#occurs(name, bound);
      }
      case "list":
      case "optional":
        return this.#occurs(name, type.item);
      case "map":
        return this.#occurs(name, type.key) || this.#occurs(name, type.value);
      case "type":
        return this.#occurs(name, type.of);
      default:
        return false;
    }
  }
}

const isAnything = ({ kind }: Type): boolean => kind === "dyn" || kind === "error";

/** Whether a type might be used where another is expected, as far as their kinds tell; false is certain. */
export function mayFit(from: Type, to: Type): boolean {
  if (from.kind === to.kind || from.kind === "param" || to.kind === "param") return true;
  return isAnything(from) || isAnything(to) || from.kind === "null";
}

/** Null may stand for these; a number, text or list is never null. */
const isNullable = ({ kind }: Type): boolean =>
  kind === "object" || kind === "optional" || kind === "duration" || kind === "timestamp";

/** The more general of two types of which one may be used for the other. */
export function mostGeneral(a: Type, b: Type): Type {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: Type, b: Type): boolean {
  if (isAnything(a) || a.kind === "param") return true;
  if (isAnything(b) || b.kind === "param") return false;
  switch (a.kind) {
    case "list":
      return b.kind === "list" && isEqualOrLessSpecific(a.item, b.item);
    case "optional":
      return b.kind === "optional" && isEqualOrLessSpecific(a.item, b.item);
    case "map":
      return b.kind === "map" && isEqualOrLessSpecific(a.key, b.key) && isEqualOrLessSpecific(a.value, b.value);
    case "null":
      return b.kind === "null";
    default:
      return a.kind === b.kind || b.kind === "null";
  }
}
