/** What the claims of a pod ask for, with what their classes say. */

import type { DeviceConstraint, DeviceToleration, ExactDeviceRequest } from "../../api/resource/v1/device-claim.ts";
import type { DeviceClass } from "../../api/resource/v1/device-class.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";

/** One form of a request that may be met. */
export interface WantedDevices {
  /** What the result names: the request, or "request/alternative". */
  readonly name: string;
  readonly expressions: readonly string[];
  /** Undefined: all that match. */
  readonly count: number | undefined;
  readonly isForAdmin: boolean;
  readonly tolerations: readonly DeviceToleration[];
  /** How much of each capacity. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly class: DeviceClass;
}

interface WantedRequest {
  /** The first that can be met counts. */
  readonly forms: readonly WantedDevices[];
}

export interface WantedClaim {
  readonly claim: ResourceClaim;
  readonly requests: readonly WantedRequest[];
  readonly constraints: readonly DeviceConstraint[];
}

/** A text: why nothing can be allocated for it on any node. */
export function wantedOf(
  claim: ResourceClaim,
  classOf: (name: string) => DeviceClass | undefined,
): WantedClaim | { readonly problem: string } {
  const { requests = [], constraints = [] } = claim.spec.devices ?? {};
  const wanted: WantedRequest[] = [];
  for (const { name, exactly, firstAvailable = [] } of requests) {
    const named = exactly === undefined ? firstAvailable.map((one) => formNamed(name, one)) : [{ name, form: exactly }];
    const forms: WantedDevices[] = [];
    for (const { name: full, form } of named) {
      const ofClass = classOf(form.deviceClassName);
      if (ofClass === undefined)
        return { problem: `request ${full}: device class ${form.deviceClassName} does not exist` };
      forms.push(wantedForm(full, form, ofClass));
    }
    wanted.push({ forms });
  }
  return { claim, requests: wanted, constraints };
}

type Form = Omit<ExactDeviceRequest, "adminAccess"> & Pick<Partial<ExactDeviceRequest>, "adminAccess">;

const formNamed = (request: string, form: Form & { readonly name: string }) => ({
  name: `${request}/${form.name}`,
  form,
});

function wantedForm(name: string, form: Form, ofClass: DeviceClass): WantedDevices {
  const selectors = [...(ofClass.spec.selectors ?? []), ...(form.selectors ?? [])];
  return {
    name,
    expressions: selectors.flatMap(({ cel }) => (cel === undefined ? [] : [cel.expression])),
    count: form.allocationMode === "All" ? undefined : Number(form.count ?? 1),
    isForAdmin: form.adminAccess === true,
    tolerations: form.tolerations ?? [],
    capacity: form.capacity?.requests ?? {},
    class: ofClass,
  };
}
