/** Keys beside the data that keep every server on the same etcd from compacting a revision that is being read. */

import type { Clock } from "../../base/clock.ts";
import type { EtcdConnection } from "./connection.ts";
import {
  leaseGrantRequest,
  leaseRevokeRequest,
  methods,
  rangeRequest,
  readLeaseGrantResponse,
  readRangeResponse,
  readTxnResponse,
  txnRequest,
} from "./messages.ts";

/** A reservation whose process died ends after this time. */
const leaseSeconds = 60;
const renewMs = 20_000;
/** A reservation is not renewed for longer than this: history must not grow without bound because of one slow reader. */
export const reservationMsMax = 3_600_000;

interface Reservation {
  readonly revision: bigint;
  release(): Promise<void>;
}

/**
 * A reservation is a key with a lease. It reserves the state just before its own creation:
 *
 *     41 put data, 42 put reservation   ->   revision 41 stays readable; a compaction at 60 becomes one at 41
 *
 * A compactor that did not see the key yet knows no revision after 41, so it cannot have compacted more. Renewing writes the key
 * again with another lease, which leaves the revision of its creation as it is.
 */
export class Reservations {
  readonly #connection: EtcdConnection;
  readonly #prefix: string;
  readonly #clock: Clock;

  constructor(connection: EtcdConnection, prefix: string, clock: Clock) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  async hold(): Promise<Reservation> {
    const key = Buffer.from(
      `${this.#prefix}${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`,
    );
    const untilMs = this.#clock.monotonic() + reservationMsMax;
    let { lease, revision } = await this.#write(key);
    let isReleased = false;
    let cancel = () => {};
    const schedule = (): void => {
      cancel = this.#clock.after(renewMs, () => {
        if (this.#clock.monotonic() >= untilMs) return;
        this.#write(key)
          .then(
            (renewed) => {
              lease = renewed.lease;
              if (isReleased) return this.#revoke(lease);
            },
            () => {}, // the lease lasts for two more attempts
          )
          .finally(() => {
            if (!isReleased) schedule();
          });
      });
    };
    schedule();
    return {
      revision: revision - 1n,
      release: async () => {
        isReleased = true;
        cancel();
        await this.#revoke(lease);
      },
    };
  }

  /** The oldest revision that is reserved; undefined: none is. */
  async oldest(): Promise<bigint | undefined> {
    const start = Buffer.from(this.#prefix);
    const end = Buffer.from(start);
    end[end.length - 1]! += 1;
    const answer = await this.#connection.repeat(methods.range, rangeRequest({ key: start, rangeEnd: end }));
    const reserved = readRangeResponse(answer).kvs.map(({ createRevision }) => createRevision - 1n);
    return reserved.length === 0 ? undefined : reserved.reduce((least, one) => (one < least ? one : least));
  }

  async #write(key: Buffer): Promise<{ readonly lease: bigint; readonly revision: bigint }> {
    const granted = await this.#connection.repeat(methods.leaseGrant, leaseGrantRequest(leaseSeconds));
    const lease = readLeaseGrantResponse(granted);
    const put = txnRequest({ compare: [], success: [{ put: { key, value: Buffer.alloc(0), lease } }], failure: [] });
    const { revision } = readTxnResponse(await this.#connection.repeat(methods.txn, put));
    return { lease, revision };
  }

  /** Removes the key; if that fails, etcd does it when the lease ends. */
  async #revoke(lease: bigint): Promise<void> {
    await this.#connection.once(methods.leaseRevoke, leaseRevokeRequest(lease), 1_000).catch(() => {});
  }
}
