/** Checks of a pod's volumes. */

import { isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import { checker, onlyOne } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { refuse } from "../../../../machinery/schema/relations.ts";
import {
  duplicate,
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import type { VolumesByName } from "../pod/validate-mounts.ts";
import { hasLongInitiator } from "./source-rules.ts";
import { claimRelations } from "./validate-claim-spec.ts";
import { fileRelations } from "./validate-files.ts";
import { projectedRelations } from "./validate-projected.ts";
import { sourceRelations } from "./validate-sources.ts";
import { Volume } from "./volume.ts";
import { oneSource } from "./volume-source-names.ts";

const checkVolume = checker(Volume, [
  ...sourceRelations,
  ...claimRelations,
  ...fileRelations,
  ...projectedRelations,
  onlyOne(Volume, oneSource),
  refuse(Volume, "name", "must be shorter where the volume names its initiator", ({ name, iscsi }) =>
    hasLongInitiator(iscsi, name),
  ),
]);

/** Also returns the volumes, for the checks of mounts. `podName` absent: the volumes are of a template. */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  path: string,
  environment: Environment,
  podName = "",
): { errors: FieldErrors; byName: VolumesByName } {
  const byName = new Map<string, Volume>();
  const errors = ofEach(volumes, (volume, index) => {
    const at = `${path}[${index}]`;
    const problems = together(
      checkVolume(volume, at, environment),
      podName !== "" && volume.ephemeral ? validateClaimName(volume, podName, at) : noErrors,
      (podName !== "" || has(environment, "namedImagesOfTemplates")) && volume.image && !volume.image.reference
        ? [required(`${at}.image.reference`)]
        : noErrors,
      byName.has(volume.name) ? [duplicate(`${at}.name`, volume.name)] : noErrors,
    );
    if (problems.length === 0) byName.set(volume.name, volume);
    return problems;
  });
  return { errors: podName === "" ? errors : together(errors, validateClaimUse(volumes, podName, path)), byName };
}

function validateClaimUse(volumes: readonly Volume[] | undefined, podName: string, path: string): FieldErrors {
  if (!volumes?.some(({ ephemeral }) => ephemeral)) return noErrors;
  // Not the names of the claims: behind a very long name of the pod they would all have the same hash.
  const own = new Set(volumes.flatMap(({ name, ephemeral }) => (ephemeral ? [name] : [])));
  const prefix = `${podName}-`;
  return ofEach(volumes, ({ persistentVolumeClaim }, index) => {
    const claim = persistentVolumeClaim?.claimName;
    if (claim === undefined || !claim.startsWith(prefix) || !own.has(claim.slice(prefix.length))) return noErrors;
    const at = `${path}[${index}].persistentVolumeClaim.claimName`;
    return [invalid(at, claim, "must not be a claim that an ephemeral volume makes")];
  });
}

/** The claim of an ephemeral volume is called after the pod and the volume. Another source may be given before it, and counts. */
function validateClaimName({ name, ephemeral, ...others }: Volume, podName: string, path: string): FieldErrors {
  if (ephemeral === undefined || name === "" || Object.keys(others).length > 0) return [];
  const problems = isDns1123Subdomain(`${podName}-${name}`);
  return problems.map((problem) => invalid(`${path}.name`, name, `as the name of a claim ${problem}`));
}
