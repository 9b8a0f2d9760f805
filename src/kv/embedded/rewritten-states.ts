/** States of a history that are written again with other values, as when they are encrypted with another key. */

import { KvError, type KvHistoryRewrite } from "../contract.ts";
import type { Disk } from "./disk.ts";
import type { ChangeRewrite } from "./rebuild-segment.ts";
import type { FormerRecord } from "./records.ts";
import type { SegmentChange } from "./segment-block.ts";

export class RewrittenStates implements ChangeRewrite {
  readonly #disk: Disk;
  readonly #rewrite: KvHistoryRewrite;
  /** How many have another value now, and how many could not be read or written. */
  states = 0;
  failed = 0;

  constructor(disk: Disk, rewrite: KvHistoryRewrite) {
    this.#disk = disk;
    this.#rewrite = rewrite;
  }

  concerns(key: string): boolean {
    return this.#rewrite.concerns(key);
  }

  /** Whether the change would be another one. */
  async changes({ note, former }: SegmentChange): Promise<boolean> {
    if (former === undefined || !this.concerns(note.key)) return false;
    // A difference would be one to a value that may become another one.
    if (former.isDifference) return true;
    try {
      return (await this.#rewrite.rewrite(note.key, former.contents)) !== undefined;
    } catch {
      return false; // counted when it is written, if it is
    }
  }

  /** The state as it is to be written: whole, so that nothing depends on what others become. */
  async of({ note, former }: SegmentChange): Promise<SegmentChange> {
    if (former === undefined || !this.concerns(note.key)) return { note, former };
    const value = this.#valueOf(note.key, former);
    if (value === undefined) {
      this.failed += 1;
      return { note, former };
    }
    return { note, former: whole(former, (await this.#rewritten(note.key, value)) ?? value) };
  }

  async #rewritten(key: string, value: Uint8Array): Promise<Uint8Array | undefined> {
    try {
      const next = await this.#rewrite.rewrite(key, value);
      if (next !== undefined) this.states += 1;
      return next;
    } catch {
      this.failed += 1;
      return undefined;
    }
  }

  #valueOf(key: string, { revision, replacedBy, isDifference, contents }: FormerRecord): Uint8Array | undefined {
    if (!isDifference) return contents;
    try {
      return this.#disk.recordOf(key, revision, replacedBy).value;
    } catch (error) {
      if (!(error instanceof KvError)) throw error;
      return undefined;
    }
  }
}

const whole = (
  { replacedBy, revision, created, previous, movedBytes }: FormerRecord,
  contents: Uint8Array,
): FormerRecord => ({ replacedBy, revision, created, previous, movedBytes, isDifference: false, depth: 0, contents });
