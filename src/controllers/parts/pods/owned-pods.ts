/** The pods of owners of one kind, with the PodControl that creates and deletes them. */

import { Pod } from "../../../api/core/v1/pod.ts";
import type { AnyObject } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import type { ControllerContext } from "../../contract.ts";
import { type ControllerOwnership, createOwnership, type OwnershipOptions } from "../ownership/ownership.ts";
import type { Expectations } from "./expectations.ts";
import { createPodControl, type PodControl } from "./pod-control.ts";

interface OwnedPods<O extends AnyObject> extends Omit<ControllerOwnership<O, Pod>, "objects" | "follow"> {
  readonly pods: Informer<Pod>;
  readonly control: PodControl;
  readonly expectations: Expectations;
  /** Calls back with the key of an owner for each change of its pods, and lowers its expectations. */
  follow(changed: (key: string, pod: Pod) => void): void;
}

export function createOwnedPods<O extends AnyObject>(
  context: ControllerContext,
  component: string,
  options: Omit<OwnershipOptions<O, Pod>, "objects">,
): OwnedPods<O> {
  const { client, clock } = context;
  const { objects: pods, ...ownership } = createOwnership(context, { ...options, objects: Pod });
  const control = createPodControl({ client, recorder: context.recorder(component), clock, pods });
  const { expectations } = control;
  return { ...ownership, pods, control, expectations, follow: (changed) => ownership.follow(changed, expectations) };
}
