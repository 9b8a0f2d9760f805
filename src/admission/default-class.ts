/** Finds the default among the classes of one kind: those with the annotation. */

import type { Kind } from "../machinery/schema/kind.ts";
import type { ObjectMeta } from "../machinery/schema/object-meta.ts";
import type { AdmissionRequest } from "../registry/contract/admission.ts";
import { type AdmissionContext, refuse } from "./context.ts";

interface MarkedClasses {
  readonly kind: Kind;
  /** Annotations in orch's names; one of them says "true". */
  readonly marks: readonly string[];
}

/** The first release in which the newest of several defaults is taken. */
const newestSince = "1.26";

/** Undefined: there is none. Of several the newest is the default; v1.21 refuses the request, because none takes precedence. */
export function defaultClass(
  context: AdmissionContext,
  request: AdmissionRequest,
  { kind, marks }: MarkedClasses,
): string | undefined {
  const { catalog, registry } = context;
  const { vocabulary } = catalog.environment;
  const annotated = marks.map((mark) => vocabulary.word(mark));
  const found = [...registry.peekAll(catalog.of(kind))]
    .map((entry) => entry.object().metadata)
    .filter(({ annotations }) => annotated.some((mark) => annotations?.[mark] === "true"));
  const names = found.sort(newestFirst).map(({ name = "" }) => name);
  if (names.length > 1 && !catalog.environment.since(newestSince))
    throw refuse(request, `${names.length} ${kind.resource} are the default (${some(names)}); only one can be`);
  return names[0];
}

/** Those of one second by their names. */
function newestFirst(a: ObjectMeta, b: ObjectMeta): number {
  const [made, other] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (made !== other) return made > other ? -1 : 1;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}

const namesShownMax = 3;
const some = (names: readonly string[]): string =>
  names.slice(0, namesShownMax).join(", ") + (names.length > namesShownMax ? ", …" : "");
