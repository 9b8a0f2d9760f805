/** What the scheduler knows of devices: what drivers publish, what claims have, and what it has decided but not seen yet. */

import type { Node } from "../../api/core/v1/node.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { type AllocationResult, consumersMax } from "../../api/resource/v1/allocation.ts";
import type { DeviceClass } from "../../api/resource/v1/device-class.ts";
import type { Answer, AskDevice, SelectableDevice } from "../../api/resource/v1/device-selection.ts";
import type { DeviceTaintRule } from "../../api/resource/v1/device-taint-rule.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { fitsNode } from "../../controllers/parts/nodes/affinity.ts";
import { isControlledBy } from "../../controllers/parts/ownership/controller-ref.ts";
import { claimNameOf } from "../../controllers/parts/pods/resource-claims.ts";
import { isDeleting } from "../../controllers/parts/pods/state.ts";
import { podKey } from "../known-pod.ts";
import { allocate, type Granting } from "./allocate.ts";
import { allocationOf } from "./allocation.ts";
import { DevicePools, type PoolDevice } from "./pools.ts";
import { UsedDevices } from "./used-devices.ts";
import { type WantedClaim, wantedOf } from "./wanted.ts";

interface DevicesParts {
  readonly ask: AskDevice;
  /** A new name for a share of a device. */
  newShare(): string;
}

/** A claim as it will be written for a pod. */
export interface ReservedClaim {
  /** As it was seen last. */
  readonly claim: ResourceClaim;
  /** What it gets. Undefined: it has its devices already. */
  readonly allocation: AllocationResult | undefined;
}

export interface DeviceNeeds {
  /** Claims that have their devices, which can be used on some nodes only. */
  readonly allocated: readonly ResourceClaim[];
  readonly wanted: readonly WantedClaim[];
  /** What was found out about devices for this pod. */
  readonly answers: Map<SelectableDevice, Map<string, Answer>>;
}

/** "later": something is about to be written of which the scheduler will hear. Undefined: the pod has no claims. */
type Asked = DeviceNeeds | { readonly problem: string } | "later" | undefined;

interface KnownClaim {
  claim: ResourceClaim | undefined;
  /** What is decided and not seen yet; the version is known once it is written. */
  decided: { readonly uid: string; version: string | undefined } | undefined;
}

export class Devices {
  readonly #parts: DevicesParts;
  readonly #pools = new DevicePools();
  readonly #used = new UsedDevices();
  readonly #claims = new Map<string, KnownClaim>();
  /** The keys of pods that wait for a claim, by that of the claim. */
  readonly #awaiting = new Map<string, Set<string>>();
  readonly #classes = new Map<string, DeviceClass>();
  readonly #rules = new Map<string, DeviceTaintRule>();
  #onSeen: ((claim: ResourceClaim) => void) | undefined;

  constructor(parts: DevicesParts) {
    this.#parts = parts;
  }

  /** `onSeen` is told of a claim that was seen before it was known to be written. */
  follow(onSeen: (claim: ResourceClaim) => void): void {
    this.#onSeen = onSeen;
  }

  seeSlice(slice: ResourceSlice): void {
    this.#pools.set(slice);
  }
  forgetSlice(slice: ResourceSlice): void {
    this.#pools.delete(slice);
  }
  seeClass(one: DeviceClass): void {
    this.#classes.set(one.metadata.name ?? "", one);
  }
  forgetClass({ metadata }: DeviceClass): void {
    this.#classes.delete(metadata.name ?? "");
  }
  seeRule(rule: DeviceTaintRule): void {
    this.#rules.set(rule.metadata.name ?? "", rule);
  }
  forgetRule({ metadata }: DeviceTaintRule): void {
    this.#rules.delete(metadata.name ?? "");
  }

  /** Whether the change may let pods fit that did not. */
  seeClaim(claim: ResourceClaim): boolean {
    const key = keyOf(claim);
    const known = this.#claims.get(key) ?? { claim: undefined, decided: undefined };
    this.#claims.set(key, known);
    const before = known.claim;
    known.claim = claim;
    if (known.decided !== undefined && !isSeen(known.decided, claim)) return false;
    const wasDecided = known.decided !== undefined;
    known.decided = undefined;
    this.#used.set(key, claim.status?.allocation);
    return wasDecided || before === undefined || standOf(before) !== standOf(claim);
  }

  forgetClaim(claim: ResourceClaim): void {
    const key = keyOf(claim);
    this.#awaiting.delete(key);
    this.#claims.delete(key);
    this.#used.set(key, undefined);
  }

  /** The pods that have waited for this claim. */
  takeAwaiting(claim: ResourceClaim): Iterable<string> {
    const key = keyOf(claim);
    const pods = this.#awaiting.get(key) ?? [];
    this.#awaiting.delete(key);
    return pods;
  }

  forgetPod(pod: Pod): void {
    if (this.#awaiting.size === 0) return;
    for (const named of pod.spec?.resourceClaims ?? []) {
      const key = `${pod.metadata.namespace ?? ""}/${claimNameOf(pod, named) ?? ""}`;
      const pods = this.#awaiting.get(key);
      if (pods?.delete(podKey(pod)) && pods.size === 0) this.#awaiting.delete(key);
    }
  }

  #await(claim: string, pod: Pod): "later" {
    const pods = this.#awaiting.get(claim) ?? new Set<string>();
    this.#awaiting.set(claim, pods.add(podKey(pod)));
    return "later";
  }

  /** What the claims of a pod mean for its node. */
  needsOf(pod: Pod): Asked {
    const wanted: WantedClaim[] = [];
    const allocated: ResourceClaim[] = [];
    for (const named of pod.spec?.resourceClaims ?? []) {
      const name = claimNameOf(pod, named);
      if (name === undefined) return "later";
      if (name === null) continue;
      const key = `${pod.metadata.namespace ?? ""}/${name}`;
      const { claim, decided } = this.#claims.get(key) ?? {};
      if (claim === undefined && named.resourceClaimTemplateName) return this.#await(key, pod);
      if (claim === undefined) return { problem: `resourceclaim "${name}" not found` };
      if (isDeleting(claim)) return { problem: `resourceclaim "${name}" is being deleted` };
      if (named.resourceClaimTemplateName && !isControlledBy(claim, pod)) return { problem: foreign(claim, pod) };
      if (decided !== undefined) return this.#await(key, pod);
      if (claim.status?.allocation !== undefined) {
        const { reservedFor = [] } = claim.status;
        const isHeld = reservedFor.some(({ uid }) => uid === pod.metadata.uid);
        if (!isHeld && reservedFor.length >= consumersMax) return { problem: "resourceclaim in use" };
        allocated.push(claim);
        continue;
      }
      const asked = wantedOf(claim, (className) => this.#classes.get(className));
      if ("problem" in asked) return asked;
      wanted.push(asked);
    }
    return allocated.length + wanted.length === 0 ? undefined : { allocated, wanted, answers: new Map() };
  }

  /** Finds out which devices of a node match, in steps, each of which yields what it cost. */
  *ask({ wanted, answers }: DeviceNeeds, node: Node): Generator<number, void> {
    const forms = wanted.flatMap(({ requests }) => requests.flatMap((request) => request.forms));
    for (const { selectable } of this.#pools.at(node)) {
      const known = answers.get(selectable) ?? new Map<string, Answer>();
      answers.set(selectable, known);
      for (const { expressions } of forms) {
        yield 1;
        for (const expression of expressions) {
          const answer = known.get(expression) ?? (yield* this.#parts.ask(expression, selectable));
          known.set(expression, answer);
          if (answer !== true) break; // the others are not looked at
        }
      }
    }
  }

  /** The devices that a node has for the claims that have none. */
  grant({ wanted, answers }: DeviceNeeds, node: Node): Granting {
    return allocate(wanted, {
      devices: this.#pools.at(node),
      used: this.#used,
      // What has been published since is asked at once.
      ask: (expression, device) => answers.get(device)?.get(expression) ?? atOnce(this.#parts.ask(expression, device)),
      taintsOf: (device) => this.#ruledTaints(device),
    });
  }

  /** Undefined: the node no longer has what is needed. */
  decide(needs: DeviceNeeds, node: Node): readonly ReservedClaim[] | undefined {
    const { granted } = this.grant(needs, node);
    if (!Array.isArray(granted)) return undefined;
    const name = node.metadata.name ?? "";
    const reserved = needs.wanted.map((wanted, at): ReservedClaim => {
      const allocation = allocationOf(wanted, granted[at] ?? [], name, this.#parts.newShare);
      const key = keyOf(wanted.claim);
      const known = this.#claims.get(key);
      if (known !== undefined) known.decided = { uid: wanted.claim.metadata.uid ?? "", version: undefined };
      this.#used.set(key, allocation);
      return { claim: wanted.claim, allocation };
    });
    return [...needs.allocated.map((claim) => ({ claim, allocation: undefined })), ...reserved];
  }

  /** What was decided is written. */
  written(claim: ResourceClaim): void {
    const known = this.#claims.get(keyOf(claim));
    if (known?.decided !== undefined) known.decided.version = claim.metadata.resourceVersion;
    // The copy may have been faster, and pods have waited again since.
    if (known?.claim !== undefined && this.seeClaim(known.claim)) this.#onSeen?.(known.claim);
  }

  /** What was decided for these claims did not come about. */
  undo(reserved: readonly ReservedClaim[]): void {
    for (const { claim, allocation } of reserved) {
      const known = this.#claims.get(keyOf(claim));
      if (allocation === undefined || known?.decided === undefined || known.decided.version !== undefined) continue;
      known.decided = undefined;
      this.#used.set(keyOf(claim), known.claim?.status?.allocation);
    }
  }

  #ruledTaints({ driver, pool, device }: PoolDevice) {
    if (this.#rules.size === 0) return [];
    return [...this.#rules.values()].flatMap(({ spec }) => {
      const about = spec.deviceSelector;
      const isAbout =
        about &&
        (about.driver ?? driver) === driver &&
        (about.pool ?? pool.name) === pool.name &&
        (about.device ?? device.name) === device.name;
      return isAbout && spec.taint !== undefined ? [spec.taint] : [];
    });
  }
}

function atOnce<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Whether a node can use what these claims have. */
export const canUseAll = (claims: readonly ResourceClaim[], node: Node): boolean =>
  claims.every(({ status }) => {
    const required = status?.allocation?.nodeSelector;
    return (
      !required ||
      fitsNode({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }, node)
    );
  });

const keyOf = ({ metadata }: ResourceClaim): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** What pods that wait for the claim, or for its devices, depend on. */
const standOf = ({ metadata, status }: ResourceClaim): string =>
  [
    metadata.uid,
    isDeleting({ metadata }),
    status?.allocation !== undefined,
    (status?.reservedFor?.length ?? 0) < consumersMax,
  ].join();

/** Whether what was decided for a claim is in its state, or was overtaken. */
function isSeen({ uid, version }: NonNullable<KnownClaim["decided"]>, { metadata }: ResourceClaim): boolean {
  if (metadata.uid !== uid) return true;
  return version !== undefined && !(Number(metadata.resourceVersion) < Number(version));
}

function foreign({ metadata: claim }: ResourceClaim, { metadata: pod }: Pod): string {
  const of = (one: { namespace?: string | undefined; name?: string | undefined }) => `${one.namespace}/${one.name}`;
  return `ResourceClaim ${of(claim)} was not created for pod ${of(pod)} (pod is not owner)`;
}
