/** Paths of fields, such as those of `orderBy`, are checked as an expression about them is: by the type of the object. */

import { describeProblems } from "../cel/problems.ts";
import type { DeclaredObject, DeclaredType } from "../cel/schema/declared-type.ts";
import { typeName } from "../cel/types/types.ts";
import type { AskedPath } from "../http/contract/queries.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { badRequest } from "../machinery/status/status.ts";
import { objectTypeOf } from "./object-type.ts";

/** Throws a badRequest that shows the first name which no object of the version can have. */
export function requireFields(kind: BoundKind, parameter: string, { text, path, offsets }: AskedPath): void {
  let at: DeclaredType = objectTypeOf(kind);
  for (const [place, step] of path.entries()) {
    if (at.type.kind === "dyn") return;
    const inner = innerOf(at, step);
    if (inner === undefined) {
      const message =
        "properties" in at
          ? `undefined field '${step}'`
          : `type '${typeName(at.type)}' does not support field selection`;
      const problem = { offset: offsets[place] ?? 0, message };
      throw badRequest(`${parameter} does not compile: ${describeProblems(text, [problem])}`);
    }
    at = inner;
  }
}

function innerOf(declared: DeclaredType, step: string | number): DeclaredType | undefined {
  if ("properties" in declared) return (declared as DeclaredObject).properties.get(String(step));
  const isIndex = typeof step === "number";
  return isIndex === (declared.type.kind === "list") ? declared.item : undefined;
}
