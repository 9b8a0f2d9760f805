/**
 * The agents of nodes that run in the process of the controllers. Where the process has no time for them, their reports are late; the
 * nodes are not silent for that, and what follows from silence (conditions, taints, evictions, new pods) would leave it even less time.
 */
export class HostedAgents {
  readonly #waiting: ((node: string) => boolean)[] = [];

  /** `isWaiting`: whether the agent of this node is alive and has a report to make that nothing but this process delays. */
  add(isWaiting: (node: string) => boolean): void {
    this.#waiting.push(isWaiting);
  }

  isWaiting(node: string): boolean {
    return this.#waiting.some((each) => each(node));
  }
}
