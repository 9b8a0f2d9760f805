/** Questions to an authorizer that the host provides. */

import { isDns1123Label, isDns1123Subdomain } from "../../machinery/meta/names.ts";
import { authorizationCost, listCost, traversalFactor } from "../cost/constants.ts";
import { exactly } from "../cost/range.ts";
import { bool, objectType, string } from "../types/types.ts";
import { sizeOf } from "../values/size.ts";
import { EvaluationError, Opaque, type Value } from "../values/values.ts";
import { declare, type FunctionDeclaration, member, nominal } from "./declaration.ts";

/** The attributes of an authorization check. `path` is set for non-resource requests. */
export interface AccessQuestion {
  readonly verb: string;
  /** Undefined: the user of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
  readonly path?: string | undefined;
  readonly group?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** As they were written; the host ignores selectors that it cannot parse. */
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
}

export interface AccessDecision {
  readonly isAllowed: boolean;
  readonly reason: string;
  /** "": none. */
  readonly error: string;
}

/**
 * Answers at once, or leaves the question open: then the evaluation ends with `OpenQuestion`, the host finds the answer, and evaluates again.
 */
type Authorize = (question: AccessQuestion) => AccessDecision | undefined;

/** Why an evaluation ended: the host has no answer yet. */
export class OpenQuestion extends EvaluationError {
  readonly question: AccessQuestion;
  constructor(question: AccessQuestion) {
    super("authorization is not decided yet", true);
    this.question = question;
  }
}

export const authorizerType = objectType("Authorizer");
const pathCheckType = objectType("PathCheck");
const groupCheckType = objectType("GroupCheck");
/** Also the type of the variable that asks about the resource of a request. */
export const resourceCheckType = objectType("ResourceCheck");
const decisionType = objectType("Decision");

/** An authorizer, or a question that is not complete yet. */
class Check extends Opaque {
  readonly type;
  readonly authorize: Authorize;
  readonly question: Omit<AccessQuestion, "verb">;
  constructor(type: typeof authorizerType, authorize: Authorize, question: Omit<AccessQuestion, "verb">) {
    super();
    this.type = type;
    this.authorize = authorize;
    this.question = question;
  }
  equals(other: Value): boolean {
    return other === this;
  }
  with(type: typeof authorizerType, more: Partial<AccessQuestion>): Check {
    return new Check(type, this.authorize, { ...this.question, ...more });
  }
  check(verb: string): Value {
    const question = { ...this.question, verb };
    const decision = this.authorize(question);
    return decision === undefined ? new OpenQuestion(question) : new Decision(decision);
  }
}

class Decision extends Opaque {
  readonly type = decisionType;
  readonly decision: AccessDecision;
  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }
  equals(other: Value): boolean {
    return other === this;
  }
}

/** The value of the variable `authorizer`. */
export function authorizerValue(authorize: Authorize): Value {
  return new Check(authorizerType, authorize, {});
}

/** The value of `authorizer.requestResource`: a question about the resource of the request. */
export function requestResourceValue(authorize: Authorize, question: Omit<AccessQuestion, "verb">): Value {
  return new Check(resourceCheckType, authorize, question);
}

const step = (
  name: string,
  from: typeof authorizerType,
  to: typeof authorizerType,
  more: (text: string) => Partial<AccessQuestion> | string,
) =>
  declare(
    name,
    "1.27",
    member(
      [from, string],
      to,
      ([check, text]) => {
        const added = more(text as string);
        return typeof added === "string" ? new EvaluationError(added) : (check as Check).with(to, added);
      },
      nominal,
    ),
  );
const isBlank = (text: string) => text.trim() === "";

const selector = (name: "fieldSelector" | "labelSelector"): FunctionDeclaration => {
  // Each requirement is at least two characters, and costs as much as a list and a structure.
  const cost = (chars: number) => listCost + Math.ceil(chars * traversalFactor) + Math.ceil(chars / 2) * 50;
  return declare(
    name,
    "1.31",
    member(
      [resourceCheckType, string],
      resourceCheckType,
      ([check, text]) => (check as Check).with(resourceCheckType, { [name]: text as string }),
      {
        cost: ([, text]) => cost(sizeOf(text!)),
        estimate: ({ args: [, text] }) => ({ cost: { min: cost(text!.size.min), max: cost(text!.size.max) } }),
      },
    ),
  );
};

const checkCosts = { cost: () => authorizationCost, estimate: () => ({ cost: exactly(authorizationCost) }) };
const check = (type: typeof authorizerType) =>
  member([type, string], decisionType, ([question, verb]) => (question as Check).check(verb as string), checkCosts);
const answer = (name: string, type: typeof bool, read: (decision: AccessDecision) => Value) =>
  declare(
    name,
    "1.27",
    member([decisionType], type, ([decision]) => read((decision as Decision).decision), nominal),
  );

export const authorization: readonly FunctionDeclaration[] = [
  step("path", authorizerType, pathCheckType, (path) => (isBlank(path) ? "path must not be empty" : { path })),
  step("group", authorizerType, groupCheckType, (group) => ({ group })),
  declare(
    "serviceAccount",
    "1.27",
    member(
      [authorizerType, string, string],
      authorizerType,
      ([authorizer, namespace, name]) => {
        if (isDns1123Label(namespace as string).length > 0)
          return new EvaluationError("Invalid service account namespace");
        if (isDns1123Subdomain(name as string).length > 0) return new EvaluationError("Invalid service account name");
        return (authorizer as Check).with(authorizerType, {
          serviceAccount: { namespace: namespace as string, name: name as string },
        });
      },
      nominal,
    ),
  ),
  step("resource", groupCheckType, resourceCheckType, (resource) =>
    isBlank(resource) ? "resource must not be empty" : { resource },
  ),
  step("subresource", resourceCheckType, resourceCheckType, (subresource) => ({ subresource })),
  step("namespace", resourceCheckType, resourceCheckType, (namespace) => ({ namespace })),
  step("name", resourceCheckType, resourceCheckType, (name) => ({ name })),
  selector("fieldSelector"),
  selector("labelSelector"),
  declare("check", "1.27", check(pathCheckType), check(resourceCheckType)),
  answer("allowed", bool, ({ isAllowed }) => isAllowed),
  answer("reason", string, ({ reason }) => reason),
  answer("error", string, ({ error }) => error),
  answer("errored", bool, ({ error }) => error !== ""),
];
