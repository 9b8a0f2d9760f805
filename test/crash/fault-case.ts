/** The messages between the disk-fault harness and the process whose disk fails. */

/** Which calls: writes of pages, syncs, or writes that are on the disk when they return (of LMDB's first pages). */
export const callKinds = { pages: 1, syncs: 2, durable: 4 } as const;

export interface FaultCase {
  readonly calls: keyof typeof callKinds;
  /** The number of the system's error; 0: half of the bytes are written. */
  readonly error: number;
  /** The first call that fails; 0: none, to count them. */
  readonly from: number;
  readonly forever: boolean;
  /** The folder has been used before. */
  readonly existing: boolean;
  /** How many bytes a file may have, instead of a call that fails; 0: any number. */
  readonly capacity: number;
}

/** The bytes of the control file, in the order of disk-shim.c; without a fault the disk works. */
export function controlBytes(fault?: Omit<FaultCase, "existing">): Buffer {
  const bytes = Buffer.alloc(64);
  if (fault === undefined) return bytes;
  const count = fault.forever ? 1_000_000_000 : 1;
  const numbers = [0, fault.from, count, fault.error, callKinds[fault.calls], 0, fault.capacity, fault.error];
  for (const [index, number] of numbers.entries()) bytes.writeBigInt64LE(BigInt(number), index * 8);
  return bytes;
}

export interface FaultOrders {
  readonly control: string;
  readonly folder: string;
  readonly cases: readonly FaultCase[];
  /** The last case ended the process: first check whether anything was lost. */
  readonly aftermath: boolean;
}

/** One for each case, as a line on standard output; a case without one ended the process. */
export interface FaultResult {
  /** How many calls of the kind there were. */
  readonly calls: number;
  /** How many failed. */
  readonly failed: number;
  readonly acknowledged: number;
  /** The errors that the writers received, and "open" if opening failed. */
  readonly errors: readonly string[];
  /** Whether writes were accepted once the disk worked again, without reopening. */
  readonly recovered: boolean;
  /** A broken promise; absent: none. */
  readonly broken?: string;
}
