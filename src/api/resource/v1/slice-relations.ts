/** Relations between the fields of a slice and of its devices. */

import { joined, on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  required,
  together,
  tooMany,
} from "../../../machinery/status/field-error.ts";
import { schedulingRelations } from "../../core/v1/pod/validate-scheduling.ts";
import { has } from "../../features.ts";
import { Device, DeviceAttribute } from "./device.ts";
import { bindingRelation } from "./gated-relations.ts";
import { validateAttributeName } from "./names.ts";
import { validateRequestPolicy } from "./request-policy.ts";
import { ResourceSliceSpec } from "./slice-spec.ts";

const propertiesMax = 32;
/** The limit for slices whose devices have taints or use counters. */
const devicesWithMoreMax = 64;

export const sliceRelations: readonly Relation[] = [
  ...schedulingRelations,
  on(ResourceSliceSpec, validateNodes),
  on(ResourceSliceSpec, validateDevices),
  on(Device, validateProperties),
  bindingRelation(Device),
  on(DeviceAttribute, ({ int, bool, string, version }) =>
    [int, bool, string, version].filter((value) => value !== undefined).length === 1
      ? noErrors
      : [invalid("", undefined, "must have exactly one value")],
  ),
];

interface Nodes {
  readonly nodeName?: string;
  readonly nodeSelector?: unknown;
  readonly allNodes?: boolean;
}

/** One way to say who can use devices. */
function validateChoice(nodes: Nodes, more: number, why: string): FieldErrors {
  const { nodeName, nodeSelector, allNodes } = nodes;
  const errors: FieldError[] = [];
  if (nodeName === "") errors.push(invalid("nodeName", nodeName, "must not be empty"));
  if (allNodes === false) errors.push(invalid("allNodes", allNodes, "must be true where it is given"));
  const count = [nodeName, nodeSelector, allNodes].filter(Boolean).length + more;
  if (count === 0) errors.push(required("", why));
  if (count > 1) errors.push(invalid("", undefined, `${why}, not several`));
  return errors;
}

function validateNodes(spec: ResourceSliceSpec): FieldErrors {
  const { perDeviceNodeSelection: perDevice, nodeSelector } = spec;
  const errors: FieldError[] = [];
  if (perDevice === false) errors.push(invalid("perDeviceNodeSelection", perDevice, "must be true where it is given"));
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  if (nodeSelector && terms.length !== 1) {
    errors.push(invalid("nodeSelector.nodeSelectorTerms", terms, "must have exactly one term"));
  }
  const why = "exactly one of nodeName, nodeSelector, allNodes and perDeviceNodeSelection is required";
  return [...errors, ...validateChoice(spec, perDevice ? 1 : 0, why)];
}

function validateDevices({
  devices = [],
  sharedCounters,
  perDeviceNodeSelection: perDevice,
}: ResourceSliceSpec): FieldErrors {
  const hasMore = devices.some(({ taints, consumesCounters }) => (taints ?? consumesCounters) !== undefined);
  if (hasMore && devices.length > devicesWithMoreMax) return [tooMany("devices", devices.length, devicesWithMoreMax)];
  return together(
    sharedCounters && devices.length > 0
      ? [invalid("", undefined, "must not have both sharedCounters and devices")]
      : noErrors,
    ofEach(devices, (device, at) => {
      const found = perDevice
        ? validateChoice(device, 0, "exactly one of nodeName, nodeSelector and allNodes is required")
        : [device.nodeName, device.nodeSelector, device.allNodes].some((one) => one !== undefined)
          ? [invalid("", undefined, "nodes are only given with perDeviceNodeSelection")]
          : noErrors;
      return found.map((error) => ({
        ...error,
        field: `devices[${at}]${error.field === "" ? "" : `.${error.field}`}`,
      }));
    }),
  );
}

function validateProperties(
  { attributes = {}, capacity = {}, allowMultipleAllocations }: Device,
  environment: Environment,
): FieldErrors {
  const at = (map: string, name: string) => (has(environment, "namedDeviceMaps") ? map : `${map}[${name}]`);
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  const errors: FieldError[] = [];
  if (count > propertiesMax)
    errors.push(invalid("", count, `must have at most ${propertiesMax} attributes and capacities`));
  for (const name of Object.keys(attributes)) errors.push(...validateAttributeName(name, at("attributes", name)));
  for (const [name, { requestPolicy, value }] of Object.entries(capacity)) {
    errors.push(...validateAttributeName(name, at("capacity", name)));
    if (requestPolicy && allowMultipleAllocations !== true) {
      errors.push(forbidden(`capacity[${name}].requestPolicy`, "only a device with allowMultipleAllocations has one"));
    } else if (requestPolicy) {
      for (const error of validateRequestPolicy(requestPolicy, value)) {
        errors.push({ ...error, field: joined(`capacity[${name}].requestPolicy`, error.field) });
      }
    }
  }
  return errors;
}
