/** Passes objects of the core group through the steps of a create or an update, for tests of single kinds. */

import { createManualClock } from "../../../base/clock.ts";
import { createCatalog } from "../../../machinery/catalog/bind.ts";
import type { BoundKind } from "../../../machinery/schema/catalog.ts";
import { plainEnvironment } from "../../../machinery/schema/environment.suite.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ApiObject, Kind } from "../../../machinery/schema/kind.ts";
import type { FieldErrors } from "../../../machinery/status/field-error.ts";
import { liveCreate, liveUpdate } from "../../../registry/write.suite.ts";

export const environment: Environment = plainEnvironment({
  clock: createManualClock(Date.parse("2021-06-01T00:00:00Z")),
  randomUid: () => "00000000-0000-4000-8000-000000000001",
  allowPrivileged: true,
});

type Body = Record<string, unknown>;

export interface Inspector {
  readonly kind: BoundKind;
  /** The object as it would be stored. */
  make(body: Body): ApiObject;
  /** "FieldValueRequired spec.ports", sorted, each once. */
  problems(body: Body): string[];
  problemsOfUpdate(body: Body, old: Body): string[];
  /** The result of an update with `body`. */
  update(body: Body, old: Body): ApiObject;
  problemsOfStatus(body: Body, old: Body): string[];
  cells(body: Body): unknown[];
}

export function inspect(declaration: unknown, within = environment): Inspector {
  const catalog = createCatalog([declaration as Kind], within); // a Kind of its own object type
  const kind = catalog.families()[0]?.hub;
  if (kind === undefined) throw new Error("nothing is declared");
  const decoded = (body: Body) => {
    const object = kind.codec.decode({ metadata: { name: "x" }, ...body });
    if (kind.namespaced) object.metadata.namespace ||= "a";
    return object;
  };
  const filled = (body: Body) => {
    const object = decoded(body);
    kind.codec.applyDefaults(object);
    return object;
  };
  const made = (body: Body) => liveCreate(kind, decoded(body));
  /** A create drops the status, which is written through its subresource afterwards. */
  const before = (body: Body) => ({
    ...made(body).hub,
    ...(body["status"] ? { status: decoded(body)["status"] } : {}),
  });
  const changed = (body: Body, old: Body) => liveUpdate(kind, decoded(body), before(old), { fresh: true });
  const lines = (errors: FieldErrors) => [...new Set(errors.map(({ reason, field }) => `${reason} ${field}`))].sort();
  return {
    kind,
    make: (body) => made(body).hub,
    update: (body, old) => changed(body, old).hub,
    problems: (body) => lines(made(body).problems),
    problemsOfUpdate: (body, old) => lines(changed(body, old).problems),
    problemsOfStatus(body, old) {
      const check = kind.subresources.get("status")?.validate;
      return lines(check?.(filled(body), before(old), within) ?? []);
    },
    cells: (body) => (kind.declaration.columns ?? []).map((column) => column.cell(filled(body), within)),
  };
}
