/** How requests are read and refused for built-in kinds and for custom resources, which v1.21 serves with other code. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Origin } from "../../machinery/schema/identity.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { findBuiltinTarget } from "./builtin-target.ts";
import { builtinPatchProblem, checkBuiltinBody } from "./builtin-type.ts";
import { findCustomTarget } from "./custom-target.ts";
import { checkCustomBody, customPatchProblem } from "./custom-type.ts";
import type { HandledTarget } from "./target.ts";

type Value = Readonly<Record<string, unknown>>;

interface RequestConventions {
  /** Undefined: no handler has such a path. Throws 404 or 405. */
  findTarget(kind: BoundKind, info: RequestInfo, method: string): HandledTarget | undefined;
  /** Throws if a body says that it is of another type than the path is for. */
  checkBody(kind: BoundKind, value: Value): void;
  /** What is wrong with the type that an object has after a JSON patch or a merge patch. May throw an error of its own. */
  patchProblem(kind: BoundKind, result: Value): string | undefined;
  /** If there is no object, the error about its subresource names both. */
  readonly namesSubresource: boolean;
  /** The details of the error about an unknown type of patch. */
  readonly patchTypeDetails: {} | undefined;
}

const byOrigin: Readonly<Record<Origin, RequestConventions>> = {
  builtin: {
    findTarget: findBuiltinTarget,
    checkBody: checkBuiltinBody,
    patchProblem: builtinPatchProblem,
    namesSubresource: true,
    patchTypeDetails: {},
  },
  custom: {
    findTarget: findCustomTarget,
    checkBody: checkCustomBody,
    patchProblem: customPatchProblem,
    namesSubresource: false,
    patchTypeDetails: undefined,
  },
};

export const requestConventionsOf = ({ declaration }: BoundKind): RequestConventions => byOrigin[declaration.origin];
