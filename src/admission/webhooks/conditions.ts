/**
 * The conditions of a webhook. They are compiled for the first request that needs them and not when the configuration is written: it may have
 * thousands of them. Requests that arrive meanwhile wait; others are served between the time slices.
 */

import type { Release } from "../../base/release.ts";
import { inTimeSlices, type Steps } from "../../base/time-slice.ts";
import { expressionSteps, type PolicyExpression } from "../policies/expression.ts";

interface Condition {
  readonly expression: string;
}

export class WebhookConditions {
  readonly #given: readonly Condition[];
  readonly #release: Release;
  #compiled: readonly PolicyExpression[] | Promise<readonly PolicyExpression[]> | undefined;

  constructor(given: readonly Condition[], release: Release) {
    this.#given = given;
    this.#release = release;
  }

  compiled(): readonly PolicyExpression[] | Promise<readonly PolicyExpression[]> {
    this.#compiled ??= inTimeSlices(this.#compile()).then((expressions) => {
      this.#compiled = expressions;
      return expressions;
    });
    return this.#compiled;
  }

  *#compile(): Steps<readonly PolicyExpression[]> {
    const expressions: PolicyExpression[] = [];
    for (const { expression } of this.#given) {
      expressions.push(yield* expressionSteps(expression, { release: this.#release }));
      yield;
    }
    return expressions;
  }
}
