/** Judges objects of the core group the way a create or an update does, for tests of single kinds. */

import { createManualClock } from "../../../base/clock.ts";
import { createCatalog } from "../../../machinery/schema/bind.ts";
import type { BoundKind } from "../../../machinery/schema/catalog.ts";
import { checkConstraints } from "../../../machinery/schema/constraints.ts";
import { decodeKind } from "../../../machinery/schema/decode-kind.ts";
import { defaultKind } from "../../../machinery/schema/defaults.ts";
import { plainEnvironment } from "../../../machinery/schema/environment.suite.ts";
import type { ApiObject, Kind } from "../../../machinery/schema/kind.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldErrors } from "../../../machinery/status/field-error.ts";

export const environment: Environment = plainEnvironment({
  clock: createManualClock(Date.parse("2021-06-01T00:00:00Z")),
  randomUid: () => "00000000-0000-4000-8000-000000000001",
  allowPrivileged: true,
});

type Body = Record<string, unknown>;

export interface Judge {
  readonly kind: BoundKind;
  /** The object as it would be stored. */
  make(body: Body): ApiObject;
  /** "FieldValueRequired spec.ports", sorted, each once. */
  problems(body: Body): string[];
  problemsOfUpdate(body: Body, old: Body): string[];
  /** What an update makes of `body`. */
  update(body: Body, old: Body): ApiObject;
  problemsOfStatus(body: Body, old: Body): string[];
  cells(body: Body): unknown[];
}

export function judge(declaration: unknown): Judge {
  const catalog = createCatalog([declaration as Kind], environment); // a Kind of its own object type
  const kind = catalog.families()[0]?.hub;
  if (kind === undefined) throw new Error("nothing is declared");
  const { life } = kind;
  const decoded = (body: Body) => {
    const object = decodeKind(kind, { metadata: { name: "x" }, ...body });
    defaultKind(kind, object);
    return object;
  };
  const make = (body: Body) => {
    const object = decoded(body);
    life.prepareForCreate?.(object, environment);
    return object;
  };
  const update = (body: Body, old: Body) => {
    const object = decoded(body);
    life.prepareForUpdate?.(object, make(old), environment);
    return object;
  };
  const lines = (errors: FieldErrors) => [...new Set(errors.map(({ reason, field }) => `${reason} ${field}`))].sort();
  return {
    kind,
    make,
    update,
    problems(body) {
      const object = make(body);
      return lines([...checkConstraints(kind.schema, object), ...(life.validate?.(object, environment) ?? [])]);
    },
    problemsOfUpdate(body, old) {
      const object = update(body, old);
      if (life.validateUpdate !== undefined) return lines(life.validateUpdate(object, make(old), environment));
      return lines(life.validate?.(object, environment) ?? []);
    },
    problemsOfStatus(body, old) {
      const check = kind.subresources.get("status")?.validate;
      return lines(check?.(decoded(body), make(old), environment) ?? []);
    },
    cells: (body) => (kind.declaration.columns ?? []).map((column) => column.cell(decoded(body), environment)),
  };
}
