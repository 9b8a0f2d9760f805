/** The two ends of a connection within the process: what is written to one is read from the other, no faster than it is read. */

import { Duplex } from "node:stream";

/** Either end may end its half and go on reading; destroying one closes the other. */
export function createDuplexPair(): readonly [Duplex, Duplex] {
  const [one, other] = [new End(), new End()];
  one.join(other);
  other.join(one);
  return [one, other];
}

class End extends Duplex {
  #peer: End | undefined;
  /** Called once this end has been read: the other may write more then. */
  #wasRead: (() => void) | undefined;

  join(peer: End): void {
    this.#peer = peer;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const peer = this.#peer;
    if (peer === undefined || peer.destroyed || peer.push(chunk)) done();
    else peer.#wasRead = done;
  }

  override _read(): void {
    this.#continue();
  }

  override _final(done: () => void): void {
    if (this.#peer?.destroyed === false) this.#peer.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const peer = this.#peer;
    this.#continue();
    // What was written before may still be on its way to the reader.
    process.nextTick(() => peer?.destroy());
    done(error);
  }

  #continue(): void {
    const go = this.#wasRead;
    this.#wasRead = undefined;
    go?.();
  }
}
