/**
 * Reads the fields of a struct one after the other. A struct that is read often gets a function of its own, in which each field
 * is a line: V8 finds `source.image` several times as fast as `source[name]` in a loop that all structs share. It is made
 * from the same plans, and `readField` is what its tests compare it with. The lines for an elided name and required ports:
 *
 *   value = source.name; if (value != null) { at = 0; value = read0(value, tally); } else value = undefined;
 *   if (value !== undefined) target.name = value;
 *   value = source.ports; if (value != null) { at = 1; value = read1(value, tally); } else value = undefined;
 *   if (value === undefined) value = absent1();
 *   if (value !== undefined) target.ports = value;
 */

import { setOwn } from "../json/json-value.ts";
import { DecodeProblem } from "./decode-scalar.ts";
import type { Tally } from "./decode-tally.ts";
import type { ReadPresent } from "./presence.ts";

/** The value that replaces an absent one; undefined: none. */
export type Absent = () => unknown;

export interface FieldPlan {
  readonly name: string;
  readonly read: ReadPresent;
  readonly absent: Absent | undefined;
  /** Whether every object inherits the name ("constructor"), so that only own properties count. */
  readonly inherited: boolean;
}

type JsonObject = Record<string, unknown>;

export function readField(plan: FieldPlan, source: Readonly<JsonObject>, target: JsonObject, tally: Tally): void {
  const { name, read, absent, inherited } = plan;
  const given = inherited && !Object.hasOwn(source, name) ? undefined : source[name];
  let value: unknown;
  if (given !== undefined && given !== null) {
    try {
      value = read(given, tally);
    } catch (error) {
      throw problemIn(plan, error);
    }
  }
  if (value === undefined) value = absent?.();
  if (value === undefined) return;
  if (inherited) setOwn(target, name, value);
  else target[name] = value;
}

const problemIn = ({ name }: FieldPlan, error: unknown): unknown =>
  error instanceof DecodeProblem ? error.inside(`.${name}`) : error;

/** Adds the fields of `source` to `target`. */
export type ReadFields = (source: Readonly<JsonObject>, target: JsonObject, tally: Tally) => void;

/** Undefined: this process may not make code from texts (`--disallow-code-generation-from-strings`). */
export function unrolled(plans: readonly FieldPlan[]): ReadFields | undefined {
  const constants = plans.map((_, at) => `const { read: read${at}, absent: absent${at} } = plans[${at}];`);
  const code = `"use strict"; ${constants.join("\n")}
    return (source, target, tally) => {
      let at = 0, value;
      try {
        ${plans.map(lineOf).join("\n")}
      } catch (error) {
        throw problemIn(plans[at], error);
      }
    };`;
  try {
    return new Function("plans", "problemIn", "ownValue", "setOwn", code)(plans, problemIn, ownValue, setOwn);
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

function lineOf({ name, absent, inherited }: FieldPlan, at: number): string {
  // A text of JSON is a text of JavaScript.
  const key = JSON.stringify(name);
  return [
    `value = ${inherited ? `ownValue(source, ${key})` : `source[${key}]`};`,
    `if (value !== undefined && value !== null) { at = ${at}; value = read${at}(value, tally); } else value = undefined;`,
    absent === undefined ? "" : `if (value === undefined) value = absent${at}();`,
    `if (value !== undefined) ${inherited ? `setOwn(target, ${key}, value)` : `target[${key}] = value`};`,
  ].join(" ");
}

const ownValue = (source: Readonly<JsonObject>, name: string): unknown =>
  Object.hasOwn(source, name) ? source[name] : undefined;
