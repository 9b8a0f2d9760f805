/** Whether there is room for what is about to be written, in the data file and on the disk, and what was refused for want of it. */

import type { Log } from "../../base/log.ts";
import { reserveBytes } from "./batch.ts";
import type { Room } from "./data-file.ts";

export interface SpaceOptions {
  readonly room: Room;
  readonly folder: string;
  readonly freeBytes: (folder: string) => number;
  readonly log: Log;
}

export class Space {
  readonly #options: SpaceOptions;
  /** What the last look did not find; 0: it found what it looked for. */
  #wantedBytes = 0;

  constructor(options: SpaceOptions) {
    this.#options = options;
  }

  get full(): boolean {
    return this.#wantedBytes > 0;
  }

  /** Whether the data file can grow by so many bytes, and others who write to the disk are left some. */
  find(bytes: number): boolean {
    const { room, folder, freeBytes } = this.#options;
    if (freeBytes(folder) < reserveBytes + bytes) return this.#refuse(bytes, "less than the reserve is left");
    try {
      room.ensure(bytes);
    } catch (error) {
      // Full, over a quota or a limit: nothing was handed to LMDB yet, it can be tried again.
      return this.#refuse(bytes, String(error));
    }
    this.#wantedBytes = 0;
    return true;
  }

  /** Looks for what was refused. */
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
