/** What is written into a claim: the devices that it got, where they can be used, and what their drivers are told. */

import type { AllocationResult } from "../../api/resource/v1/allocation.ts";
import type { Granted } from "./allocate.ts";
import type { WantedClaim } from "./wanted.ts";

type Devices = NonNullable<AllocationResult["devices"]>;
type Result = NonNullable<Devices["results"]>[number];
type Configuration = NonNullable<Devices["config"]>[number];

export function allocationOf(
  { claim }: WantedClaim,
  granted: readonly Granted[],
  node: string,
  newShare: () => string,
): AllocationResult {
  const config = [...classConfiguration(granted), ...claimConfiguration(claim.spec.devices?.config ?? [], granted)];
  const nodeSelector = placeOf(granted, node);
  return {
    devices: {
      results: granted.map((one) => resultOf(one, newShare)),
      ...(config.length === 0 ? {} : { config }),
    },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

function resultOf({ form, device, consumed }: Granted, newShare: () => string): Result {
  return {
    request: form.name,
    driver: device.driver,
    pool: device.pool.name,
    device: device.device.name,
    ...(form.isForAdmin ? { adminAccess: true } : {}),
    ...(form.tolerations.length === 0 ? {} : { tolerations: [...form.tolerations] }),
    ...(consumed === undefined ? {} : { shareID: newShare(), consumedCapacity: Object.fromEntries(consumed) }),
  };
}

function classConfiguration(granted: readonly Granted[]): readonly Configuration[] {
  const forms = new Set(granted.map(({ form }) => form));
  return [...forms].flatMap(({ name, class: { spec } }) =>
    (spec.config ?? []).map((each) => ({ source: "FromClass", requests: [name], ...each })),
  );
}

type ClaimConfigurations = NonNullable<NonNullable<WantedClaim["claim"]["spec"]["devices"]>["config"]>;

/** Without those that are only about alternatives that were not chosen. */
function claimConfiguration(all: ClaimConfigurations, granted: readonly Granted[]): readonly Configuration[] {
  const names = new Set(granted.flatMap(({ form: { name } }) => [name, name.split("/")[0] ?? ""]));
  return all
    .filter(({ requests = [] }) => requests.length === 0 || requests.some((name) => names.has(name)))
    .map((each) => ({ source: "FromClaim", ...each }));
}

/** Undefined: the devices can be used everywhere. */
function placeOf(granted: readonly Granted[], node: string): AllocationResult["nodeSelector"] {
  if (granted.some(({ device }) => device.place.nodeName !== undefined))
    return {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
    };
  // Their selectors have one term each, and a node must match all of them.
  const terms = granted.flatMap(({ device }) => device.place.nodeSelector?.nodeSelectorTerms ?? []);
  const matchExpressions = unique(terms.flatMap((term) => term.matchExpressions ?? []));
  const matchFields = unique(terms.flatMap((term) => term.matchFields ?? []));
  if (matchExpressions.length + matchFields.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
        ...(matchFields.length === 0 ? {} : { matchFields }),
      },
    ],
  };
}

const unique = <T>(all: readonly T[]): T[] => [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
