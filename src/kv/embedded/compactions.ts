/** Callers that wait until a compaction is on disk. */

import { crashPoint } from "./crash-point.ts";

interface Compaction {
  readonly revision: bigint;
  resolve(): void;
  reject(error: Error): void;
}

export class Compactions {
  #waiting: Compaction[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(revision: bigint): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ revision, resolve, reject }));
  }

  /** Answers those whose revision has been compacted. */
  resolve(compacted: bigint): void {
    for (const { revision, resolve } of this.#waiting) {
      if (revision > compacted) continue;
      resolve();
      crashPoint("compact: answered");
    }
    this.#waiting = this.#waiting.filter(({ revision }) => revision > compacted);
  }

  reject(error: Error): void {
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }
}
