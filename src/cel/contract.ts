/** What other rooms use of expressions: an environment, and programs that are compiled in it. */

import type { Release } from "../base/release.ts";
import type { Steps } from "../base/time-slice.ts";
import type { CostRange } from "./cost/range.ts";
import type { SizeBound } from "./estimate.ts";
import type { Problem } from "./problems.ts";
import type { Type } from "./types/types.ts";
import type { EvaluationError, Value } from "./values/values.ts";

export interface CelEnvironment {
  /** Libraries are those of this release of the server. */
  readonly release: Release;
  /** A name may have dots: `authorizer.requestResource`. */
  readonly variables: ReadonlyMap<string, Type>;
  /** Whether the expression may make `Object{…}` and `JSONPatch{…}`. Default: false. */
  readonly makesPatches?: boolean;
}

/** An expression without problems. It keeps no state, and may be evaluated as often as wanted. */
export interface Program {
  readonly text: string;
  /** The type of its value. */
  readonly type: Type;
  /** Variables of the environment that it mentions, anywhere in it. */
  readonly variables: ReadonlySet<string>;
  /** The cost that an evaluation may have, for variables of the given bounds, as servers of the release estimate it; absent: of the newest. */
  estimate(bound: SizeBound, level?: Release): CostRange;
  /** A variable that is not bound is an error when it is read. Absent: `callCostMax` and `evaluationWorkMax` of `limits.ts`. */
  evaluate(bindings: Bindings, costMax?: number, workMax?: number): Evaluation;
  /** Evaluates in steps what a client may make long. */
  evaluateSteps(bindings: Bindings, costMax?: number): Steps<Evaluation>;
}

export type Bindings = Readonly<Record<string, Value | undefined>>;

export interface Evaluation {
  /** An EvaluationError where the expression has no value; it is fatal where a limit is exceeded. */
  readonly value: Value | EvaluationError;
  readonly cost: number;
}

export type Compilation =
  | { readonly program: Program; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly program?: undefined };
