/** Finds the default among the classes of one kind: the one with the annotation. */

import type { Kind } from "../machinery/schema/kind.ts";
import type { AdmissionRequest } from "../registry/contract/admission.ts";
import { type AdmissionContext, refuse } from "./context.ts";

export interface MarkedClasses {
  readonly kind: Kind;
  /** Annotations in orch's names; one of them says "true". */
  readonly marks: readonly string[];
}

/** Undefined: there is none. Refuses the request when there are several, because none of them takes precedence. */
export function onlyDefaultClass(
  context: AdmissionContext,
  request: AdmissionRequest,
  { kind, marks }: MarkedClasses,
): string | undefined {
  const { catalog, registry } = context;
  const { vocabulary } = catalog.environment;
  const annotated = marks.map((mark) => vocabulary.word(mark));
  const names: string[] = [];
  for (const entry of registry.peekAll(catalog.of(kind))) {
    const { name = "", annotations } = entry.object().metadata;
    if (annotated.some((mark) => annotations?.[mark] === "true")) names.push(name);
  }
  if (names.length > 1)
    throw refuse(request, `${names.length} ${kind.resource} are the default (${some(names)}); only one can be`);
  return names[0];
}

const namesShownMax = 3;
const some = (names: readonly string[]): string =>
  names.slice(0, namesShownMax).join(", ") + (names.length > namesShownMax ? ", …" : "");
