/** Metadata of claims in a template: only labels and annotations may be given. */

import { validateAnnotations, validateLabels } from "../../../machinery/meta/metadata.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldErrors, forbidden, together } from "../../../machinery/status/field-error.ts";

export function validateClaimMetadata({ labels, annotations, ...others }: ObjectMeta, path: string): FieldErrors {
  const given = Object.entries(others).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return together(
    validateAnnotations(annotations, `${path}.annotations`),
    validateLabels(labels, `${path}.labels`),
    given.map(([name]) => forbidden(`${path}.${name}`, "only labels and annotations may be given")),
  );
}
