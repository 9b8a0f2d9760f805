/** The rule of metadata in a template of claims, which take their names from elsewhere: most of it would be ignored. */

import { validateAnnotations, validateLabels } from "../../machinery/meta/labels.ts";
import type { ObjectMeta } from "../../machinery/schema/object-meta.ts";
import { type FieldErrors, forbidden, together } from "../../machinery/status/field-error.ts";

/** `text` says why other members are forbidden. */
export const onlyLabelsAndAnnotations =
  (text: string) =>
  ({ labels, annotations, ...others }: ObjectMeta): FieldErrors =>
    together(
      validateLabels(labels, "labels"),
      validateAnnotations(annotations, "annotations"),
      Object.entries(others)
        .filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([name]) => forbidden(name, text)),
    );
