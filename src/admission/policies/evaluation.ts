/** Evaluates the expressions of one policy for one request, within the budget that all of them share. */

import type { Authorizer } from "../../authz/contract.ts";
import { readFieldSelector, readLabelSelector } from "../../authz/selectors.ts";
import { nextTimeSlice, run, TimeSlice } from "../../base/time-slice.ts";
import type { Bindings } from "../../cel/contract.ts";
import { type AccessDecision, type AccessQuestion, OpenQuestion } from "../../cel/library/authorization.ts";
import { callCostMax, requestCostMax } from "../../cel/limits.ts";
import type { ObjectType } from "../../cel/types/types.ts";
import { EvaluationError, ObjectValue, type Value } from "../../cel/values/values.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { PolicyExpression } from "./expression.ts";

/** After this cost other requests are served: some milliseconds, or tens of them where functions are slow. */
const costOfSlice = 50_000;

/** The cost of what is evaluated again because it reads variables that take long. */
export const repeatedCostMax = requestCostMax;

/** Variables that are evaluated within each other; a longer chain would exhaust the stack. */
const variablesDepthMax = 500;

/** The cost that a policy may still have for this request. */
export interface Budget {
  left: number;
  /** Since others were served. */
  spent: number;
  /** The cost of evaluations that began again, which does not count otherwise. */
  repeated: number;
}
export const budgetOf = (costMax: number): Budget => ({ left: costMax, spent: 0, repeated: 0 });

export const overBudget = new EvaluationError(
  "validation failed due to running out of cost budget, no further validation rules will be run",
  true,
);

/** What the user of a request may do, as far as expressions have asked: an answer is asked for once. */
export class PolicyAccess {
  readonly #authorizer: Authorizer;
  readonly #user: User;
  readonly #known = new Map<string, AccessDecision>();

  constructor(authorizer: Authorizer, user: User) {
    this.#authorizer = authorizer;
    this.#user = user;
  }

  readonly answer = (question: AccessQuestion): AccessDecision | undefined => this.#known.get(JSON.stringify(question));

  async ask(question: AccessQuestion): Promise<void> {
    const {
      serviceAccount,
      path,
      verb,
      group = "",
      resource = "",
      subresource = "",
      namespace = "",
      name = "",
      fieldSelector = "",
      labelSelector = "",
    } = question;
    const user: User = serviceAccount
      ? {
          name: `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`,
          uid: "",
          groups: [
            "system:serviceaccounts",
            `system:serviceaccounts:${serviceAccount.namespace}`,
            "system:authenticated",
          ],
          extra: new Map(),
        }
      : this.#user;
    const isResource = path === undefined;
    const attributes = {
      user,
      verb,
      isResource,
      path: path ?? "",
      group,
      version: "*",
      resource,
      subresource,
      namespace,
      name,
      // An authorizer sees a request that selects everything where a selector cannot be read.
      ...(fieldSelector === "" ? {} : { fieldSelector: readFieldSelector(fieldSelector).requirements }),
      ...(labelSelector === "" ? {} : { labelSelector: readLabelSelector(labelSelector).requirements }),
    };
    this.#known.set(JSON.stringify(question), await this.#decide(attributes));
  }

  async #decide(attributes: Parameters<Authorizer["authorize"]>[0]): Promise<AccessDecision> {
    try {
      const { outcome, reason } = await this.#authorizer.authorize(attributes);
      return { isAllowed: outcome === "allow", reason, error: "" };
    } catch (error) {
      return { isAllowed: false, reason: "", error: error instanceof Error ? error.message : String(error) };
    }
  }
}

export async function evaluate(
  { text, program }: PolicyExpression,
  bindings: Bindings,
  budget: Budget,
  access: PolicyAccess,
): Promise<Value | EvaluationError> {
  if (program === undefined) return new EvaluationError(`expression '${text}' does not compile`);
  for (;;) {
    if (budget.left <= 0) return overBudget;
    if (budget.spent > costOfSlice) {
      budget.spent = 0;
      await nextTimeSlice();
    }
    const running = run(program.evaluateSteps(bindings, Math.min(callCostMax, budget.left)), new TimeSlice());
    const { value, cost } = running instanceof Promise ? await running : running;
    if (value instanceof OpenVariable) {
      // What was evaluated before is evaluated again, and counts then.
      budget.repeated += cost;
      if (budget.repeated > repeatedCostMax) return overBudget;
      await value.variables.find(value.name, access);
      continue;
    }
    budget.left -= cost;
    budget.spent += cost;
    if (!(value instanceof OpenQuestion)) return budget.left < 0 ? overBudget : value;
    await access.ask(value.question);
  }
}

/** A variable that takes long: it is evaluated in steps, and then the expression that reads it is evaluated again. */
class OpenVariable extends EvaluationError {
  readonly variables: Variables;
  readonly name: string;
  constructor(variables: Variables, name: string) {
    super(`the variable '${name}' is not evaluated yet`, true);
    this.variables = variables;
    this.name = name;
  }
}

/** `variables`: each is evaluated where it is first used, and counts once. */
export class Variables extends ObjectValue {
  readonly type: ObjectType;
  readonly #expressions: ReadonlyMap<string, PolicyExpression>;
  readonly #bindings: Bindings;
  readonly #budget: Budget;
  readonly #known = new Map<string, Value>();
  #depth = 0;

  constructor(
    type: ObjectType,
    expressions: ReadonlyMap<string, PolicyExpression>,
    bindings: Bindings,
    budget: Budget,
  ) {
    super();
    this.type = type;
    this.#expressions = expressions;
    this.#bindings = bindings;
    this.#budget = budget;
  }

  get size(): number {
    return this.#expressions.size;
  }

  has(field: string): boolean {
    return this.#expressions.has(field);
  }

  get(field: string): Value | undefined {
    const known = this.#known.get(field);
    if (known !== undefined) return known;
    const expression = this.#expressions.get(field);
    if (expression === undefined) return undefined;
    if (expression.program === undefined) return new EvaluationError(`variable '${field}' does not compile`);
    if (this.#budget.left <= 0) return overBudget;
    if (this.#depth >= variablesDepthMax)
      return new EvaluationError(`more than ${variablesDepthMax} variables name each other`, true);
    // Many short variables take long too.
    if (this.#budget.spent > costOfSlice) return new OpenVariable(this, field);
    const steps = expression.program.evaluateSteps(this.#given(), Math.min(callCostMax, this.#budget.left));
    this.#depth++;
    const step = steps.next();
    this.#depth--;
    if (!step.done) return new OpenVariable(this, field);
    const { value, cost } = step.value;
    // It is answered, or evaluated in steps, before the next attempt.
    if (value instanceof OpenVariable) return value;
    this.#budget.left -= cost;
    this.#budget.spent += cost;
    if (!(value instanceof OpenQuestion)) this.#known.set(field, value);
    return value;
  }

  /** Evaluates a variable in steps, and keeps its value. */
  async find(field: string, access: PolicyAccess): Promise<void> {
    const expression = this.#expressions.get(field)!;
    this.#known.set(field, await evaluate(expression, this.#given(), this.#budget, access));
  }

  #given(): Bindings {
    return { ...this.#bindings, variables: this };
  }

  equals(other: Value): boolean {
    return other === this;
  }
}
