/** Devices, classes and claims as informers know them. */

import { randomUUID } from "node:crypto";
import { DeviceClass } from "../../api/resource/v1/device-class.ts";
import { createAskDevice } from "../../api/resource/v1/device-selection.ts";
import { DeviceTaintRule } from "../../api/resource/v1/device-taint-rule.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import type { ControllerContext } from "../../controllers/contract.ts";
import { Devices } from "./devices.ts";

/** Undefined: the level has none. */
export function followDevices({ informers, environment, has }: ControllerContext) {
  if (!has("resourceClaims")) return undefined;
  const known = new Devices({ ask: createAskDevice(environment), newShare: randomUUID });
  const claims = informers.of(ResourceClaim);
  const slices = informers.of(ResourceSlice);
  const classes = informers.of(DeviceClass);
  const rules = has("deviceTaintRules") ? informers.of(DeviceTaintRule) : undefined;
  return {
    known,
    informers: [claims, slices, classes, ...(rules === undefined ? [] : [rules])],
    /** `wake`: pods may fit now that did not. `retry`: what these pods waited for has come. */
    follow(wake: () => void, retry: (pods: Iterable<string>) => void): void {
      const waking =
        <T>(see: (object: T) => void) =>
        (object: T) => {
          see(object);
          wake();
        };
      const seeClaim = (claim: ResourceClaim) => {
        const mayHelp = known.seeClaim(claim);
        retry(known.takeAwaiting(claim));
        if (mayHelp) wake();
      };
      known.follow((claim) => {
        retry(known.takeAwaiting(claim));
        wake();
      });
      const seeSlice = waking((slice: ResourceSlice) => known.seeSlice(slice));
      const seeClass = waking((one: DeviceClass) => known.seeClass(one));
      const seeRule = waking((rule: DeviceTaintRule) => known.seeRule(rule));
      claims.on({ add: seeClaim, update: seeClaim, delete: waking((claim) => known.forgetClaim(claim)) });
      slices.on({ add: seeSlice, update: seeSlice, delete: waking((slice) => known.forgetSlice(slice)) });
      classes.on({ add: seeClass, update: seeClass, delete: (one) => known.forgetClass(one) });
      rules?.on({ add: seeRule, update: seeRule, delete: waking((rule) => known.forgetRule(rule)) });
    },
  };
}
