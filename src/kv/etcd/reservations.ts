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

/** The reservation of a history outlives the servers that keep it by an hour: they may be restarted. */
const historyLeaseSeconds = 3_600;
const historyRenewMs = 20 * 60_000;

/** Where a history begins, and since when that state was current. */
export interface HistoryFloor {
  readonly revision: bigint;
  readonly atMs: number;
}

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
 * again with another lease, which leaves the revision of its creation as it is. A key with a value reserves the revision that it says:
 * that of the history.
 */
export class Reservations {
  readonly #connection: EtcdConnection;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #historyKey: Buffer;
  #historyReservedMs = Number.NEGATIVE_INFINITY;

  constructor(connection: EtcdConnection, prefix: string, clock: Clock) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#clock = clock;
    this.#historyKey = Buffer.from(`${prefix}history`);
  }

  /** Undefined: nobody keeps a history, or nobody has for an hour. */
  async historyFloor(): Promise<HistoryFloor | undefined> {
    const answer = await this.#connection.repeat(methods.range, rangeRequest({ key: this.#historyKey }));
    const [found] = readRangeResponse(answer).kvs;
    return found && readFloor(found.value);
  }

  /** All servers on this etcd compact up to the floor at most. */
  async reserveHistory({ revision, atMs }: HistoryFloor): Promise<void> {
    const granted = await this.#connection.repeat(methods.leaseGrant, leaseGrantRequest(historyLeaseSeconds));
    const lease = readLeaseGrantResponse(granted);
    const value = Buffer.from(`${revision} ${atMs}`);
    const put = { key: this.#historyKey, value, lease };
    await this.#connection.repeat(methods.txn, txnRequest({ compare: [], success: [{ put }], failure: [] }));
    this.#historyReservedMs = this.#clock.monotonic();
  }

  /** Whether the reservation of the history has to be renewed. */
  get isHistoryDue(): boolean {
    return this.#clock.monotonic() - this.#historyReservedMs > historyRenewMs;
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
    const reserved = readRangeResponse(answer).kvs.map(
      ({ createRevision, value }) => readFloor(value)?.revision ?? createRevision - 1n,
    );
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

function readFloor(value: Uint8Array): HistoryFloor | undefined {
  const [, revision, atMs] = /^(\d{1,19}) (\d{1,16})$/.exec(Buffer.from(value).toString()) ?? [];
  return revision === undefined ? undefined : { revision: BigInt(revision), atMs: Number(atMs) };
}
