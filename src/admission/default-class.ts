/** Finds the default among the classes of one kind: those with the annotation. */

import { defaultClasses } from "../api/default-class.ts";
import type { Kind } from "../machinery/schema/kind.ts";
import type { AdmissionRequest } from "../registry/contract/admission.ts";
import { type AdmissionContext, refuse } from "./context.ts";

interface MarkedClasses {
  readonly kind: Kind;
  /** Annotations in orch's names; one of them says "true". */
  readonly marks: readonly string[];
}

/** Undefined: there is none. Of several the newest is the default; v1.21 refuses the request, because none takes precedence. */
export function defaultClass(
  context: AdmissionContext,
  request: AdmissionRequest,
  { kind, marks }: MarkedClasses,
): string | undefined {
  const { catalog, registry } = context;
  const classes = [...registry.peekAll(catalog.of(kind))].map((entry) => entry.object());
  const names = defaultClasses(classes, marks, catalog.environment.vocabulary);
  if (names.length > 1 && !catalog.environment.has("newestDefaultClass"))
    throw refuse(request, `${names.length} ${kind.resource} are the default (${some(names)}); only one can be`);
  return names[0];
}

const namesShownMax = 3;
const some = (names: readonly string[]): string =>
  names.slice(0, namesShownMax).join(", ") + (names.length > namesShownMax ? ", …" : "");
