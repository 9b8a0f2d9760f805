/** The expressions of access configuration files: conditions of authorizers, and mappings and rules for claims of tokens. */

import type { Release } from "../../base/release.ts";
import type { Steps } from "../../base/time-slice.ts";
import { compile } from "../../cel/compile.ts";
import type { Bindings, Program } from "../../cel/contract.ts";
import { describeProblems } from "../../cel/problems.ts";
import type { DeclaredType } from "../../cel/schema/declared-type.ts";
import { schemaType } from "../../cel/schema/json-schema-type.ts";
import { dyn, mapOf, string, type Type } from "../../cel/types/types.ts";
import { jsonValue } from "../../cel/values/json.ts";
import { EvaluationError, List, type Value } from "../../cel/values/values.ts";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";

const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;
const object = (properties: Readonly<Record<string, object>>) => ({ type: "object", properties }) as const;
const requirement = object({ key: text, operator: text, values: texts });
const selector = object({ rawSelector: text, requirements: { type: "array", items: requirement } });
const extra = { type: "object", additionalProperties: texts } as const;

const declared = (schema: object, name: string): DeclaredType => {
  // Written with the members of a JSON schema that types are made of.
  const found = schemaType(schema as JsonSchema, { prefix: "x-orch-", isResource: false, name });
  if (found === undefined) throw new TypeError(`the schema of ${name} has no type`);
  return found;
};

/** `request` of conditions: the spec of a SubjectAccessReview. */
const reviewSpec = declared(
  object({
    resourceAttributes: object({
      namespace: text,
      verb: text,
      group: text,
      version: text,
      resource: text,
      subresource: text,
      name: text,
      fieldSelector: selector,
      labelSelector: selector,
    }),
    nonResourceAttributes: object({ path: text, verb: text }),
    user: text,
    groups: texts,
    extra,
    uid: text,
  }),
  "SubjectAccessReviewSpec",
);

/** `user` of rules about the user that a token was mapped to. */
const userInfo = declared(object({ username: text, uid: text, groups: texts, extra }), "UserInfo");

/** An Error says why the expression has no value. */
export type Evaluated<T> = T | Error;

/** The cost of all expressions that are evaluated about one token, or by one webhook about one request. */
export const accessCostMax = 1_000_000;

/** What is left of it. */
export interface CostBudget {
  left: number;
}

/** Evaluates in steps: whoever holds a token, or sends a request, chooses how long the lists are that an expression walks through. */
export type AccessExpression<Given, T> = (given: Given, budget: CostBudget) => Steps<Evaluated<T>>;

/** Throws an Error that shows the expression and its problem. */
export function compileRequestCondition(expression: string, release: Release): AccessExpression<object, boolean> {
  const program = compileOne(expression, release, new Map([["request", reviewSpec.type]]), "bool");
  return function* (spec, budget) {
    return truthOf(yield* evaluate(program, { request: reviewSpec.read(spec) }, budget));
  };
}

export function compileUserRule(expression: string, release: Release): AccessExpression<object, boolean> {
  const program = compileOne(expression, release, new Map([["user", userInfo.type]]), "bool");
  return function* (user, budget) {
    return truthOf(yield* evaluate(program, { user: userInfo.read(user) }, budget));
  };
}

const claimVariables: ReadonlyMap<string, Type> = new Map([["claims", mapOf(string, dyn)]]);

export function compileClaimRule(expression: string, release: Release): AccessExpression<object, boolean> {
  const program = compileOne(expression, release, claimVariables, "bool");
  return function* (claims, budget) {
    return truthOf(yield* evaluate(program, { claims: jsonValue(claims) }, budget));
  };
}

/** The value is a text, or a list of texts; null and "" mean none. */
export function compileClaimMapping(
  expression: string,
  release: Release,
): AccessExpression<object, string | readonly string[]> {
  const program = compileOne(expression, release, claimVariables, undefined);
  return function* (claims, budget) {
    return textsOf(yield* evaluate(program, { claims: jsonValue(claims) }, budget));
  };
}

function* evaluate(program: Program, bindings: Bindings, budget: CostBudget): Steps<Value | EvaluationError> {
  const { value, cost } = yield* program.evaluateSteps(bindings, Math.max(0, budget.left));
  budget.left -= cost;
  yield;
  return value;
}

function compileOne(
  expression: string,
  release: Release,
  variables: ReadonlyMap<string, Type>,
  wanted: "bool" | undefined,
): Program {
  const { program, problems } = compile(expression, { release, variables });
  if (program === undefined) throw new Error(describeProblems(expression, problems));
  if (wanted !== undefined && program.type.kind !== wanted) throw new Error(`"${expression}" must be a ${wanted}`);
  return program;
}

function truthOf(value: Value | EvaluationError): Evaluated<boolean> {
  if (value instanceof EvaluationError) return new Error(value.message);
  return typeof value === "boolean" ? value : new Error("the value is not a bool");
}

function textsOf(value: Value | EvaluationError): Evaluated<string | readonly string[]> {
  if (value instanceof EvaluationError) return new Error(value.message);
  if (value === null || value === "") return [];
  if (typeof value === "string") return value;
  if (!(value instanceof List)) return new Error("the value is neither a text nor a list of texts");
  const items: string[] = [];
  for (let at = 0; at < value.size; at++) {
    const item = value.at(at);
    if (typeof item !== "string") return new Error("the value is a list with something else than texts");
    items.push(item);
  }
  return items;
}
