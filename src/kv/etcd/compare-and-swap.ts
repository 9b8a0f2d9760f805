/** Writes, alone or several together, each of which happens at most once. */

import { KvError, type KvWrite, RevisionConflict } from "../contract.ts";
import { type ConnectionOptions, type EtcdConnection, isInterrupted } from "./connection.ts";
import type { EtcdKeys } from "./keys.ts";
import { methods, readTxnResponse, type TxnOperation, txnRequest } from "./messages.ts";
import { encodeNoteRecord } from "./note-record.ts";
import { OutcomeSlots } from "./outcome-slots.ts";

export class CompareAndSwap {
  readonly #connection: EtcdConnection;
  readonly #keys: EtcdKeys;
  readonly #options: ConnectionOptions;
  readonly #slots: OutcomeSlots;
  /** An error of gRPC as one of the contract. */
  readonly #translate: (error: unknown) => Promise<Error>;
  /** Whether notes are kept. */
  readonly #keepsNotes: boolean;

  constructor(
    connection: EtcdConnection,
    keys: EtcdKeys,
    options: ConnectionOptions & { readonly keepsNotes: boolean },
    translate: (error: unknown) => Promise<Error>,
  ) {
    this.#keepsNotes = options.keepsNotes;
    this.#connection = connection;
    this.#keys = keys;
    this.#options = options;
    this.#slots = new OutcomeSlots(connection, keys.slots, options.requestTimeoutMs, options.clock);
    this.#translate = translate;
  }

  /**
   * Compare-and-swaps that happen together; returns their revision. After a broken connection the outcome is determined before this
   * returns; see outcome-slots.ts.
   */
  async run(writes: readonly KvWrite[]): Promise<bigint> {
    const keys = writes.map(({ key }) => this.#keys.encode(key));
    const operations = writes.flatMap(({ value, keeps }, at): TxnOperation[] => {
      if (keeps) return [];
      return [value === undefined ? { delete: keys[at]! } : { put: { key: keys[at]!, value } }];
    });
    const notes = this.#keepsNotes ? encodeNoteRecord(writes, this.#options.clock.now()) : undefined;
    if (notes !== undefined) operations.push({ put: { key: this.#keys.history, value: notes } });
    const deadline = this.#options.clock.monotonic() + this.#options.requestTimeoutMs;
    for (let attempt = 0; ; attempt += 1) {
      const acquired = this.#slots.acquire();
      const slot = acquired instanceof Promise ? await acquired.catch(this.#refuse) : acquired;
      const request = txnRequest({
        compare: [
          ...writes.map(({ expected }, at) => ({ key: keys[at]!, modRevision: expected })),
          this.#slots.compare(slot),
        ],
        success: [...operations, this.#slots.markOperation(slot)],
        failure: [...keys.map((key) => ({ get: key })), { get: slot.key }],
      });
      let failure: unknown;
      try {
        const answer = readTxnResponse(await this.#connection.once(methods.txn, request));
        const slotNow = answer.found[keys.length];
        if (answer.succeeded) {
          slot.modRevision = answer.revision;
          this.#slots.release(slot);
          return answer.revision;
        }
        if ((slotNow?.modRevision ?? 0n) === slot.modRevision) {
          this.#slots.release(slot);
          throw conflictOf(writes, (at) => answer.found[at]?.modRevision);
        }
        if (slotNow !== undefined && slot.mark.equals(slotNow.value)) {
          // Something between us and etcd sent it twice: this is the answer to the second copy, the first one wrote.
          slot.modRevision = slotNow.modRevision;
          this.#slots.release(slot);
          return slotNow.modRevision;
        }
        this.#slots.discard(); // its lease has ended; the write did not happen
        failure = new Error("the outcome slot was lost");
      } catch (error) {
        if (error instanceof KvError) throw error;
        if (!isInterrupted(error)) {
          this.#slots.release(slot);
          throw await this.#translate(error);
        }
        let happened: bigint | undefined;
        try {
          happened = await this.#slots.settle(slot, writes[0]!.key, error);
        } catch (unknown) {
          this.#slots.discard();
          throw unknown;
        }
        this.#slots.release(slot);
        if (happened !== undefined) return happened;
        failure = error;
      }
      // The write has not happened and never will: it can be retried, or reported as unavailable.
      if (this.#options.clock.monotonic() >= deadline) throw await this.#translate(failure);
      await this.#connection.pause(attempt);
    }
  }

  readonly #refuse = async (error: unknown): Promise<never> => {
    throw await this.#translate(error);
  };

  /** After the last write. */
  close(): Promise<void> {
    return this.#slots.close();
  }
}

/** The first write whose key is not where it should be. */
function conflictOf(writes: readonly KvWrite[], revisionOf: (at: number) => bigint | undefined): RevisionConflict {
  const found = writes.findIndex(({ expected }, at) => (revisionOf(at) ?? 0n) !== expected);
  const at = Math.max(0, found);
  return new RevisionConflict(writes[at]!.key, writes[at]!.expected, revisionOf(at));
}
