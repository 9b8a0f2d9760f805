/** Finds the volume for a claim. */

import type { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { storageClassOf } from "../../api/core/v1/volume/storage-columns.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import { labelMap, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import { compareQuantities, parseQuantity } from "../../machinery/values/quantity.ts";

/** Whether the volume is reserved for this claim; without a uid in its claimRef it is reserved for any claim of the name. */
export function isKeptFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef;
  if (ref === undefined || ref.name !== metadata.name || ref.namespace !== metadata.namespace) return false;
  return (ref.uid ?? "") === "" || ref.uid === metadata.uid;
}

/** Why the volume does not fit a claim that names it; undefined: it fits. */
export function misfit(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  environment: Environment,
): string | undefined {
  if (!isLargeEnough(volume, claim)) return "requested PV is too small";
  if (storageClassOf(volume, environment) !== storageClassOf(claim, environment))
    return "storageClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  return hasModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** The volume that is reserved for the claim, otherwise the smallest that fits; among those, one with few access modes. */
export function bestMatch(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  environment: Environment,
  { onlyKept }: { readonly onlyKept: boolean },
): PersistentVolume | undefined {
  const fitting = volumes.filter((volume) => modeOf(volume) === modeOf(claim) && isLargeEnough(volume, claim));
  const kept = fitting.find((volume) => isKeptFor(volume, claim));
  if (kept !== undefined || onlyKept) return kept;
  const selector = claim.spec?.selector && labelSelectorFromObject(claim.spec.selector);
  const free = fitting.filter(
    (volume) =>
      volume.spec?.claimRef === undefined &&
      volume.status?.phase === "Available" &&
      !volume.metadata.deletionTimestamp &&
      storageClassOf(volume, environment) === storageClassOf(claim, environment) &&
      hasModes(volume, claim) &&
      (selector === undefined || selector.matches(labelMap(volume.metadata.labels))),
  );
  return free.sort((a, b) => modesOf(a).length - modesOf(b).length || compareCapacity(a, b))[0];
}

const modesOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): readonly string[] => spec?.accessModes ?? [];
const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string => spec?.volumeMode ?? "Filesystem";

function hasModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return modesOf(claim).every((mode) => modesOf(volume).includes(mode));
}

function isLargeEnough(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const asked = parseQuantity(claim.spec?.resources?.requests?.["storage"] ?? "0");
  const has = capacityOf(volume);
  return asked !== undefined && has !== undefined && compareQuantities(has, asked) >= 0;
}

const capacityOf = ({ spec }: PersistentVolume) => parseQuantity(spec?.capacity?.["storage"] ?? "0");

function compareCapacity(a: PersistentVolume, b: PersistentVolume): number {
  const [one, two] = [capacityOf(a), capacityOf(b)];
  return one === undefined || two === undefined ? 0 : compareQuantities(one, two);
}
