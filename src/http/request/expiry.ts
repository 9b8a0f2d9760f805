/** The time at which a request is answered 504; a node in the list of all requests that have one. */

import type { CallUpload } from "./call-upload.ts";

export class Expiry<Request extends { releaseSeat(): () => void }> {
  readonly call: Request;
  /** On the monotonic clock. */
  atMs: number;
  /** The body, while it is forwarded to another server. */
  upload: CallUpload | undefined;
  previous: Expiry<Request> | undefined;
  next: Expiry<Request> | undefined;

  constructor(call: Request, atMs: number, next: Expiry<Request> | undefined) {
    this.call = call;
    this.atMs = atMs;
    this.upload = undefined;
    this.previous = undefined;
    this.next = next;
  }

  releaseSeat(): () => void {
    return this.call.releaseSeat();
  }
}
