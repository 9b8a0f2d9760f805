/** The pods that simulated nodes have taken and that are not over, and what they use together. */

import { type HostPort, hostPortsOf } from "../api/core/v1/pod/host-ports.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import type { UsedAmounts } from "./life/refusal.ts";
import { requestedBy } from "./life/resize.ts";

interface TakenPod {
  readonly node: string;
  /** Resources change with it. */
  readonly generation: number | undefined;
  readonly cpu: number;
  readonly memory: number;
  readonly ports: readonly HostPort[];
}

export class TakenPods {
  readonly #pods = new Map<string, TakenPod>();
  readonly #nodes = new Map<string, { pods: number; cpu: number; memory: number }>();
  /** The ports of the few pods that use some, by node and uid. */
  readonly #ports = new Map<string, Map<string, readonly HostPort[]>>();

  /** From when its node has taken a pod until it is over. */
  note(pod: Pod): void {
    const { status, metadata } = pod;
    const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
    if (isOver) this.release(metadata.uid ?? "");
    else if (status?.startTime != null) this.take(pod);
  }

  take(pod: Pod): void {
    const { spec } = pod;
    const { uid = "", generation } = pod.metadata;
    const known = this.#pods.get(uid);
    if (known !== undefined && known.generation === generation) return;
    this.release(uid);
    const node = spec?.nodeName ?? "";
    const taken: TakenPod = { node, generation, ...requestedBy(pod), ports: hostPortsOf(spec) };
    this.#pods.set(uid, taken);
    this.#add(taken, 1);
    if (taken.ports.length === 0) return;
    const ofNode = this.#ports.get(node) ?? new Map<string, readonly HostPort[]>();
    this.#ports.set(node, ofNode.set(uid, taken.ports));
  }

  release(uid: string): void {
    const known = this.#pods.get(uid);
    if (known === undefined) return;
    this.#pods.delete(uid);
    this.#add(known, -1);
    this.#ports.get(known.node)?.delete(uid);
  }

  on(node: string): UsedAmounts {
    const { pods = 0, cpu = 0, memory = 0 } = this.#nodes.get(node) ?? {};
    return { pods, cpu, memory, ports: [...(this.#ports.get(node)?.values() ?? [])].flat() };
  }

  #add({ node, cpu, memory }: TakenPod, times: 1 | -1): void {
    const sum = this.#nodes.get(node) ?? { pods: 0, cpu: 0, memory: 0 };
    sum.pods += times;
    sum.cpu += times * cpu;
    sum.memory += times * memory;
    this.#nodes.set(node, sum);
  }
}
