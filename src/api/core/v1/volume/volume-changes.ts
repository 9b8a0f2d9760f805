/** What an update of a persistent volume may change although it is immutable, in forms that can be compared. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import { stableLabels } from "../stable-labels.ts";
import type { PersistentVolumeSpec } from "./persistent-volume-spec.ts";

/** Labels that were beta may be replaced by the stable ones: the old affinity with the keys that the new one has. */
export function withStableLabels(
  old: NonNullable<PersistentVolumeSpec["nodeAffinity"]>,
  { nodeAffinity }: PersistentVolumeSpec,
  { vocabulary }: Environment,
): PersistentVolumeSpec["nodeAffinity"] {
  const stable = new Map(stableLabels.map(([beta, label]) => [vocabulary.word(beta), vocabulary.word(label)]));
  const terms = old.required?.nodeSelectorTerms ?? [];
  const next = nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return {
    required: {
      nodeSelectorTerms: terms.map((term, index) => ({
        ...term,
        matchExpressions: (term.matchExpressions ?? []).map((one, at) => {
          const key = stable.get(one.key);
          return key !== undefined && next[index]?.matchExpressions?.[at]?.key === key ? { ...one, key } : one;
        }),
      })),
    },
  };
}

/** The secret for expanding a volume may still be added. */
export function withoutAddedSecret(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): PersistentVolumeSpec {
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return spec;
  const { controllerExpandSecretRef: _added, ...csi } = spec.csi;
  return { ...spec, csi };
}
