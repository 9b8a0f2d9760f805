/** Checks of volumes that several sources fill. */

import type { Environment } from "../../../../machinery/schema/schema.ts";
import { addTo, type FieldError, forbidden, invalid, required } from "../../../../machinery/status/field-error.ts";
import { validateFile, validateItems, validateMode } from "./validate-files.ts";
import type { DownwardAPIVolumeFile, KeyToPath, ProjectedVolumeSource } from "./volume.ts";

const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;

export function validateProjected(source: ProjectedVolumeSource, path: string, environment: Environment): FieldError[] {
  const errors = validateMode(source.defaultMode, `${path}.defaultMode`);
  const paths = new Set<string>();
  const claim = (file: string, field: string) => {
    if (file === "") return;
    if (paths.has(file)) errors.push(invalid(field, file, "conflicting duplicate paths"));
    paths.add(file);
  };
  (source.sources ?? []).forEach((projection, index) => {
    const at = `${path}.sources[${index}]`;
    const given = Object.entries(projection).filter(([, value]) => value !== undefined);
    for (const [kind, one] of given) {
      const where = { path: `${at}.${kind}`, volume: path, claim };
      addTo(errors, validateProjection(kind, one as Projection, where, environment));
    }
    if (given.length > 1) errors.push(forbidden(at, "may not specify more than 1 volume type"));
  });
  return errors;
}

/** The members of the four kinds of projection together; the schema determines which kind has which. */
interface Projection {
  readonly name?: string;
  readonly items?: readonly (KeyToPath & DownwardAPIVolumeFile)[];
  readonly path?: string;
  readonly expirationSeconds?: number;
}

function validateProjection(
  kind: string,
  one: Projection,
  { path, volume, claim }: { path: string; volume: string; claim: (file: string, field: string) => void },
  environment: Environment,
): FieldError[] {
  if (kind === "downwardAPI") {
    return (one.items ?? []).flatMap((file) => {
      claim(file.path, volume);
      return validateFile(file, path, environment);
    });
  }
  if (kind === "serviceAccountToken") {
    const errors: FieldError[] = [];
    const seconds = one.expirationSeconds ?? 0;
    if (seconds < tokenSecondsMin)
      errors.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
    if (seconds > tokenSecondsMax)
      errors.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"));
    // v1.21 reports the path of a token as one of the volume.
    if (!one.path) errors.push(required(`${volume}.path`));
    return errors;
  }
  const errors: FieldError[] = one.name ? [] : [required(`${path}.name`)];
  addTo(errors, validateItems(one.items, `${path}.items`));
  for (const item of one.items ?? []) claim(item.path, volume);
  return errors;
}
