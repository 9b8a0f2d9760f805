/** Restricts cloud volumes to nodes in the zone and region of the volume. */

import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

/** Sources of cloud volumes, with the field that names the volume. */
const cloudSources = {
  awsElasticBlockStore: "volumeID",
  gcePersistentDisk: "pdName",
  azureDisk: "diskName",
  cinder: "volumeID",
  vsphereVolume: "volumePath",
} as const;
type CloudSource = keyof typeof cloudSources;

/** The name of a volume that is still being made; its labels come later. */
const placeholder = "placeholder-for-provisioning";
/** Between the zones of a volume that is in several. */
const zoneSeparator = "__";

export function createPersistentVolumeLabel({ catalog }: AdmissionContext): AdmissionPlugin {
  const { word } = catalog.environment.vocabulary;
  const provisioned = word("pv.orch.io/provisioned-by");
  /** The current labels, and those of earlier versions. */
  const places = [
    { zone: word("topology.orch.io/zone"), region: word("topology.orch.io/region") },
    { zone: word("failure-domain.beta.orch.io/zone"), region: word("failure-domain.beta.orch.io/region") },
  ];
  return plugin("PersistentVolumeLabel", [
    on(PersistentVolume, "CREATE", {
      mutate(request) {
        const { labels = {}, annotations = {} } = request.object.metadata;
        const place = places.find(({ zone, region }) => Object.hasOwn(labels, zone) && Object.hasOwn(labels, region));
        // Labels that a provisioner sets on its own volume are trusted; those that a person sets are not.
        if (place === undefined || !Object.hasOwn(annotations, provisioned)) return checkCloud(request, request.object);
        const { zone, region } = place;
        addAffinity(request, request.object, { [zone]: zonesOf(labels[zone]), [region]: [labels[region] ?? ""] });
      },
    }),
  ]);
}

/** This server has no cloud provider. As v1.21 does in that case, it refuses such volumes rather than leaving them unlabelled. */
function checkCloud(request: AdmissionRequest, { spec }: PersistentVolume): void {
  for (const source of Object.keys(cloudSources) as CloudSource[]) {
    const volume = spec?.[source] as Readonly<Record<string, unknown>> | undefined;
    if (volume === undefined) continue;
    if (volume[cloudSources[source]] === placeholder) return;
    throw refuse(request, `spec.${source}: no cloud provider is configured that knows the zone of the volume`);
  }
}

const zonesOf = (label: string | undefined): string[] => [...new Set((label ?? "").split(zoneSeparator))].sort();

function addAffinity(
  request: AdmissionRequest,
  { spec }: PersistentVolume,
  wanted: Readonly<Record<string, readonly string[]>>,
): void {
  if (spec === undefined) return;
  if (Object.values(wanted).some((values) => values.includes(""))) {
    throw refuse(request, "the labels of zone and region must not have empty parts");
  }
  const requirements = Object.entries(wanted).map(([key, values]) => ({ key, operator: "In", values: [...values] }));
  const given = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const terms = given.length === 0 ? [{}] : given;
  const known = new Set(terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key)));
  // The author of the volume has already chosen nodes by one of these labels.
  if (requirements.some(({ key }) => known.has(key))) return;
  spec.nodeAffinity = {
    ...spec.nodeAffinity,
    required: {
      nodeSelectorTerms: terms.map((term) => ({
        ...term,
        matchExpressions: [...(term.matchExpressions ?? []), ...requirements],
      })),
    },
  };
}
