/** The body of a request on its way to another server: while it arrives, the request does not time out. */

import type { Upload } from "../contract/routes.ts";

export class CallUpload implements Upload {
  readonly #call: { upload: CallUpload | undefined; releaseSeat(): () => void };
  #bytes = 0;
  #seenBytes = 0;
  #comeBack: (() => void) | undefined;

  constructor(call: { upload: CallUpload | undefined; releaseSeat(): () => void }) {
    this.#call = call;
  }

  passed(bytes: number): void {
    this.#bytes += bytes;
  }

  ended(): void {
    this.#call.upload = undefined;
    this.#comeBack?.();
    this.#comeBack = undefined;
  }

  /**
   * Called when the request would time out: whether anything has arrived since the last call. A request that continues no
   * longer counts among the requests in flight, since it may take hours.
   */
  continues(): boolean {
    if (this.#bytes === this.#seenBytes) return false;
    this.#seenBytes = this.#bytes;
    this.#comeBack ??= this.#call.releaseSeat();
    return true;
  }
}
