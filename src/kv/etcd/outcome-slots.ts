/** Keys beside the data that show, after a broken connection, whether a write has happened. */

import type { Clock } from "../../base/clock.ts";
import { OutcomeUnknown } from "../contract.ts";
import { type EtcdConnection, isInterrupted } from "./connection.ts";
import {
  leaseGrantRequest,
  leaseRevokeRequest,
  methods,
  readLeaseGrantResponse,
  readTxnResponse,
  type TxnOperation,
  txnRequest,
} from "./messages.ts";

/** How many writes run at once; further writes wait. */
export const slotsMax = 256;
/** A generation of slots is used for this long, and etcd removes it an hour after its creation, even if this process dies. */
const generationMs = 20 * 60_000;
const leaseSeconds = 3_600;
const voided = Buffer.from("void");

interface Generation {
  readonly lease: bigint;
  readonly since: number;
}

interface OutcomeSlot {
  readonly key: Buffer;
  readonly generation: Generation;
  /** The revision of the slot now; 0n: not created yet. */
  modRevision: bigint;
  /** What the current write will leave in the slot. */
  mark: Buffer;
}

/**
 * Every write holds a slot: its transaction requires that the slot is at the revision we know, and writes its mark there. The
 * data itself cannot show that: another writer may have written the same bytes, or a deleted key may have come back.
 *
 *     write      if key at 7 and slot at 3   then put key, put slot "41"
 *     (broken)   if slot at 3                then put slot "void": now the write above can never happen
 *                                            else look: "41" at 9 means it happened, at revision 9
 */
export class OutcomeSlots {
  readonly #connection: EtcdConnection;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  #generation: Promise<Generation> | undefined;
  /** The newest that has begun. */
  #current: Generation | undefined;
  #free: OutcomeSlot[] = [];
  #inUse = 0;
  #waiting: (() => void)[] = [];
  #counter = 0;

  constructor(connection: EtcdConnection, prefix: string, timeoutMs: number, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#prefix = `${prefix}${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}/`;
  }

  /** At once while a slot is free and its generation is not too old. */
  acquire(): OutcomeSlot | Promise<OutcomeSlot> {
    const current = this.#current;
    if (this.#inUse >= slotsMax || current === undefined || this.#isOld(current)) return this.#wait();
    this.#inUse += 1;
    return this.#slotOf(current);
  }

  async #wait(): Promise<OutcomeSlot> {
    while (this.#inUse >= slotsMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inUse += 1;
    try {
      return this.#slotOf(await this.#currentGeneration());
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  #slotOf(generation: Generation): OutcomeSlot {
    let slot = this.#free.pop();
    while (slot !== undefined && slot.generation !== generation) slot = this.#free.pop();
    slot ??= { key: Buffer.from(`${this.#prefix}${++this.#counter}`), generation, modRevision: 0n, mark: voided };
    slot.mark = Buffer.from(String(++this.#counter));
    return slot;
  }

  /** The slot is at the revision we assume and can be reused. */
  release(slot: OutcomeSlot): void {
    this.#free.push(slot);
    this.#leave();
  }

  /** The revision of the slot is unknown: it is never reused, and etcd will remove it with its lease. */
  discard(): void {
    this.#leave();
  }

  compare(slot: OutcomeSlot): { key: Buffer; modRevision: bigint } {
    return { key: slot.key, modRevision: slot.modRevision };
  }

  markOperation(slot: OutcomeSlot, mark = slot.mark): TxnOperation {
    return { put: { key: slot.key, value: mark, lease: slot.generation.lease } };
  }

  /**
   * Finds out whether the slot's write happened and makes sure that it does not happen later. Returns the revision at
   * which it happened, or undefined: it has not, and never will. Throws OutcomeUnknown when etcd cannot be asked.
   */
  async settle(slot: OutcomeSlot, key: string, cause: unknown): Promise<bigint | undefined> {
    const request = txnRequest({
      compare: [this.compare(slot)],
      success: [this.markOperation(slot, voided)],
      failure: [{ get: slot.key }],
    });
    const deadline = this.#clock.monotonic() + this.#timeoutMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const answer = readTxnResponse(await this.#connection.once(methods.txn, request));
        if (answer.succeeded) {
          slot.modRevision = answer.revision;
          return undefined;
        }
        const found = answer.found[0];
        if (found === undefined) break; // its lease has ended: an hour has passed
        slot.modRevision = found.modRevision;
        if (slot.mark.equals(found.value)) return found.modRevision;
        if (voided.equals(found.value)) return undefined; // by an earlier attempt of ours whose answer was lost
        break;
      } catch (error) {
        if (!isInterrupted(error) || this.#clock.monotonic() >= deadline) break;
      }
      await this.#connection.pause(attempt);
    }
    throw new OutcomeUnknown(key, { cause });
  }

  /** Removes the slots; if that fails etcd does it within the hour. */
  async close(): Promise<void> {
    const generation = await this.#generation?.catch(() => undefined);
    if (generation === undefined) return;
    await this.#connection.once(methods.leaseRevoke, leaseRevokeRequest(generation.lease), 1_000).catch(() => {});
  }

  async #currentGeneration(): Promise<Generation> {
    const current = await this.#generation?.catch(() => undefined);
    if (current !== undefined && !this.#isOld(current)) return current;
    // Several writers may get here at once; the first one starts the next generation for all of them.
    if (this.#generation === undefined || (await this.#generation.catch(() => undefined)) === current) {
      this.#generation = this.#newGeneration();
    }
    return this.#generation;
  }

  async #newGeneration(): Promise<Generation> {
    const answer = await this.#connection.repeat(methods.leaseGrant, leaseGrantRequest(leaseSeconds));
    this.#current = { lease: readLeaseGrantResponse(answer), since: this.#clock.monotonic() };
    return this.#current;
  }

  #isOld({ since }: Generation): boolean {
    return this.#clock.monotonic() - since >= generationMs;
  }

  #leave(): void {
    this.#inUse -= 1;
    this.#waiting.shift()?.();
  }
}
