/** What the agents know of pods beside their status, so that they neither tell nor write anything twice. */

export class PodMemory {
  /** When pods that have not been started yet were seen, by uid. */
  readonly #seen = new Map<string, number>();
  /** The uids of deleted pods for which the Killing Event was written. */
  readonly #stopping = new Set<string>();
  /** The uids of pods for which it was told that a volume cannot be shown. */
  readonly #unmounted = new Set<string>();
  /** The resourceVersion that the newest write of a pod began from, by key, as long as the informer shows it. */
  readonly #writtenFrom = new Map<string, string>();

  seenMs(uid: string): number | undefined {
    return this.#seen.get(uid);
  }

  /** The first time counts. */
  noteSeen(uid: string, nowMs: number): void {
    if (!this.#seen.has(uid)) this.#seen.set(uid, nowMs);
  }

  forgetSeen(uid: string): void {
    this.#seen.delete(uid);
  }

  /** Whether it was told before. */
  tellStop(uid: string): boolean {
    return tell(this.#stopping, uid);
  }

  /** Whether it was told before. */
  tellVolume(uid: string): boolean {
    return tell(this.#unmounted, uid);
  }

  wroteFrom(key: string, resourceVersion: string): void {
    this.#writtenFrom.set(key, resourceVersion);
  }

  /** Whether the informer still shows what the newest write began from. */
  awaitsWrite(key: string, resourceVersion: string): boolean {
    if (this.#writtenFrom.get(key) === resourceVersion) return true;
    this.#writtenFrom.delete(key);
    return false;
  }

  forget(uid: string, key: string): void {
    this.#seen.delete(uid);
    this.#stopping.delete(uid);
    this.#unmounted.delete(uid);
    this.#writtenFrom.delete(key);
  }
}

function tell(told: Set<string>, uid: string): boolean {
  if (told.has(uid)) return true;
  told.add(uid);
  return false;
}
