/** Whether the data file and the disk have space for the next write, and which write was refused for lack of it. */

import type { Log } from "../../base/log.ts";
import { reserveBytes } from "./batch.ts";
import type { ReservedSpace } from "./data-file.ts";

/** With less than this on the disk, history is given up. */
const tightBytes = 4 * reserveBytes;

interface SpaceOptions {
  readonly room: ReservedSpace;
  readonly folder: string;
  readonly freeBytes: (folder: string) => number;
  readonly log: Log;
}

export class Space {
  readonly #options: SpaceOptions;
  /** The bytes that the last check did not find; 0: it found enough. */
  #wantedBytes = 0;

  constructor(options: SpaceOptions) {
    this.#options = options;
  }

  get full(): boolean {
    return this.#wantedBytes > 0;
  }

  /** Whether the data file can grow by so many bytes, and leaves some space to others that write to the disk. */
  find(bytes: number): boolean {
    const { room, folder, freeBytes } = this.#options;
    if (freeBytes(folder) < reserveBytes + bytes) return this.#refuse(bytes, "less than the reserve is left");
    try {
      room.ensure(bytes);
    } catch (error) {
      // Full, over a quota or a limit: LMDB has not been called yet, so the write can be retried.
      return this.#refuse(bytes, String(error));
    }
    this.#wantedBytes = 0;
    return true;
  }

  /** Whether so little is left that what can be given up should be, before a write is refused. */
  get isTight(): boolean {
    const { folder, freeBytes } = this.#options;
    return this.full || freeBytes(folder) < tightBytes;
  }

  /** Checks again for the space that was refused. */
  lookAgain(): void {
    if (this.full) this.find(this.#wantedBytes);
  }

  #refuse(bytes: number, error: string): false {
    const { folder, log } = this.#options;
    if (!this.full) log.error("disk full", { folder, error });
    this.#wantedBytes = bytes;
    return false;
  }
}
