/** A compiled `where`, as the registry uses it. */

import type { Steps } from "../base/time-slice.ts";
import { compileSteps } from "../cel/compile.ts";
import type { Program } from "../cel/contract.ts";
import { callCostMax } from "../cel/limits.ts";
import { describeProblems } from "../cel/problems.ts";
import type { DeclaredType } from "../cel/schema/declared-type.ts";
import { parse } from "../cel/syntax/parser.ts";
import { typeName } from "../cel/types/types.ts";
import { EvaluationError, type Value } from "../cel/values/values.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { levels } from "../machinery/schema/levels.ts";
import { badRequest } from "../machinery/status/status.ts";
import type { Entry } from "../registry/contract/entry.ts";
import type { ConditionFinding, ListCondition, Term } from "../registry/contract/question.ts";
import { shownObject } from "../registry/contract/shown-object.ts";
import { watchCostMax, watchRequirements, watchWorkMax, whereCharsMax } from "./limits.ts";
import { objectTypeOf } from "./object-type.ts";
import { termsOf } from "./terms.ts";

/** Questions are no part of any release, so all libraries may be used at every level. */
const release = levels.at(-1)!;

/** Throws a badRequest that shows where the problem is. */
export function* compileCondition(kind: BoundKind, text: string): Steps<ListCondition> {
  if (text.length > whereCharsMax) throw badRequest(`where may have at most ${whereCharsMax} characters`);
  if (!kind.family.conversion.isImmediate && kind !== kind.family.stored)
    throw badRequest(
      `where is asked about objects as they are stored, in ${kind.family.stored.apiVersion}, since a webhook converts them`,
    );
  const self = objectTypeOf(kind);
  const { program, problems } = yield* compileSteps(text, { release, variables: new Map([["self", self.type]]) });
  if (problems !== undefined) throw badRequest(`where does not compile: ${describeProblems(text, problems)}`);
  const { kind: type } = program.type;
  if (type !== "bool" && type !== "dyn")
    throw badRequest(`where must be true or false, not of type ${typeName(program.type)}`);
  yield;
  const tree = yield* parse(text, release);
  return new CompiledCondition(kind, program, self, "message" in tree ? [] : termsOf(tree, kind));
}

class CompiledCondition implements ListCondition {
  readonly text: string;
  readonly terms: readonly Term[];
  readonly requirements: number;
  readonly #kind: BoundKind;
  readonly #program: Program;
  readonly #self: DeclaredType;
  /** Many watches may ask the same, and each asks about the state before a change and the one after it. */
  readonly #met = new WeakMap<Entry, boolean>();

  constructor(kind: BoundKind, program: Program, self: DeclaredType, terms: readonly Term[]) {
    this.text = program.text;
    this.requirements = watchRequirements + program.text.length;
    this.terms = terms;
    this.#kind = kind;
    this.#program = program;
    this.#self = self;
  }

  meets(entry: Entry): boolean {
    const known = this.#met.get(entry);
    if (known !== undefined) return known;
    const self = watchedSelf(entry, this.#kind, this.#self);
    const isMet = self !== undefined && this.#program.evaluate({ self }, watchCostMax, watchWorkMax).value === true;
    this.#met.set(entry, isMet);
    return isMet;
  }

  *examine(entry: Entry, costMax: number): Steps<ConditionFinding> {
    const object = shownObject(entry, this.#kind, yield* entry.load());
    if (object === undefined)
      return {
        isMet: false,
        cost: 0,
        problem: `it is stored in ${entry.version.apiVersion}, which a webhook converts`,
      };
    const allowed = Math.min(callCostMax, costMax);
    const { value, cost } = yield* this.#program.evaluateSteps({ self: this.#self.read(object) }, allowed);
    if (typeof value === "boolean") return { isMet: value, cost };
    if (!(value instanceof EvaluationError)) return { isMet: false, cost, problem: "it is neither true nor false" };
    return { isMet: false, cost, problem: value.message, isTooCostly: value.isFatal && cost >= costMax };
  }
}

/** By kind, for objects as they are stored: what many watches look at is converted once, and its keys are listed once. */
const watchedSelves = new WeakMap<BoundKind, WeakMap<object, Value>>();

/** Undefined: only a webhook could convert it. */
function watchedSelf(entry: Entry, kind: BoundKind, { read }: DeclaredType): Value | undefined {
  const stored = entry.object();
  const ofKind = watchedSelves.get(kind) ?? new WeakMap<object, Value>();
  watchedSelves.set(kind, ofKind);
  const known = ofKind.get(stored);
  if (known !== undefined) return known;
  const object = shownObject(entry, kind, stored);
  if (object === undefined) return undefined;
  const self = read(object);
  ofKind.set(stored, self);
  return self;
}
