/** The messages of etcd's v3 API that the store speaks; numbers are those of etcd's rpc.proto and kv.proto. */

import { type MessageField, MessageWriter, readFields } from "../../base/protobuf-message.ts";

export const methods = {
  range: "/etcdserverpb.KV/Range",
  txn: "/etcdserverpb.KV/Txn",
  compact: "/etcdserverpb.KV/Compact",
  watch: "/etcdserverpb.Watch/Watch",
  leaseGrant: "/etcdserverpb.Lease/LeaseGrant",
  leaseRevoke: "/etcdserverpb.Lease/LeaseRevoke",
  authenticate: "/etcdserverpb.Auth/Authenticate",
  status: "/etcdserverpb.Maintenance/Status",
} as const;

export interface EtcdKeyValue {
  readonly key: Buffer;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly version: bigint;
  readonly value: Uint8Array;
}

interface RangeRequest {
  readonly key: Buffer;
  /** Absent: the key alone. */
  readonly rangeEnd?: Buffer;
  readonly limit?: number;
  readonly revision?: bigint;
  readonly countOnly?: boolean;
}

interface RangeResponse {
  readonly revision: bigint;
  readonly kvs: readonly EtcdKeyValue[];
  /** How many keys there are from `key` on, whatever the limit. */
  readonly count: number;
}

export function rangeRequest(request: RangeRequest): MessageWriter {
  return new MessageWriter()
    .bytes(1, request.key)
    .bytes(2, request.rangeEnd ?? Buffer.alloc(0))
    .int(3, request.limit ?? 0)
    .int(4, request.revision ?? 0n)
    .bool(9, request.countOnly ?? false);
}

export function readRangeResponse(message: Buffer): RangeResponse {
  let revision = 0n;
  let count = 0;
  const kvs: EtcdKeyValue[] = [];
  for (const field of readFields(message)) {
    if (field.number === 1) revision = headerRevision(field);
    else if (field.number === 2) kvs.push(readKeyValue(field.bytes));
    else if (field.number === 4) count = Number(field.int);
  }
  return { revision, kvs, count };
}

export type TxnOperation =
  | { readonly put: { readonly key: Buffer; readonly value: Uint8Array; readonly lease?: bigint } }
  | { readonly delete: Buffer }
  | { readonly get: Buffer };

interface TxnRequest {
  /** All of these keys must be at these revisions; 0n: absent. */
  readonly compare: readonly { readonly key: Buffer; readonly modRevision: bigint }[];
  readonly success: readonly TxnOperation[];
  readonly failure: readonly TxnOperation[];
}

interface TxnResponse {
  readonly revision: bigint;
  readonly succeeded: boolean;
  /** What each `get` of the branch found, in order. */
  readonly found: readonly (EtcdKeyValue | undefined)[];
}

const compareModRevision = 2;

export function txnRequest(request: TxnRequest): MessageWriter {
  const compare = request.compare.map(({ key, modRevision }) =>
    new MessageWriter().int(2, compareModRevision).bytes(3, key).chosenInt(6, modRevision),
  );
  return new MessageWriter()
    .messages(1, compare)
    .messages(2, request.success.map(operation))
    .messages(3, request.failure.map(operation));
}

function operation(request: TxnOperation): MessageWriter {
  if ("put" in request) {
    const { key, value, lease = 0n } = request.put;
    return new MessageWriter().message(2, new MessageWriter().bytes(1, key).bytes(2, value).int(3, lease));
  }
  if ("delete" in request) return new MessageWriter().message(3, new MessageWriter().bytes(1, request.delete));
  return new MessageWriter().message(1, rangeRequest({ key: request.get }));
}

export function readTxnResponse(message: Buffer): TxnResponse {
  let revision = 0n;
  let succeeded = false;
  const found: (EtcdKeyValue | undefined)[] = [];
  for (const field of readFields(message)) {
    if (field.number === 1) revision = headerRevision(field);
    else if (field.number === 2) succeeded = field.int !== 0n;
    else if (field.number === 3) {
      for (const response of readFields(field.bytes)) {
        if (response.number === 1) found.push(readRangeResponse(response.bytes).kvs[0]);
      }
    }
  }
  return { revision, succeeded, found };
}

export function compactionRequest(revision: bigint): MessageWriter {
  return new MessageWriter().int(1, revision);
}

export interface WatchCreate {
  readonly key: Buffer;
  readonly rangeEnd?: Buffer;
  readonly startRevision: bigint;
}

export function watchCreateRequest(request: WatchCreate): MessageWriter {
  const create = new MessageWriter()
    .bytes(1, request.key)
    .bytes(2, request.rangeEnd ?? Buffer.alloc(0))
    .int(3, request.startRevision);
  return new MessageWriter().message(1, create);
}

export interface EtcdEvent {
  readonly kv: EtcdKeyValue;
  readonly deleted: boolean;
}

export interface WatchResponse {
  readonly revision: bigint;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Not 0n: the start of the watch has been compacted, and this is the oldest revision left. */
  readonly compactRevision: bigint;
  readonly cancelReason: string;
  readonly events: readonly EtcdEvent[];
}

export function readWatchResponse(message: Buffer): WatchResponse {
  const response = { revision: 0n, created: false, canceled: false, compactRevision: 0n, cancelReason: "" };
  const events: EtcdEvent[] = [];
  for (const field of readFields(message)) {
    if (field.number === 1) response.revision = headerRevision(field);
    else if (field.number === 3) response.created = field.int !== 0n;
    else if (field.number === 4) response.canceled = field.int !== 0n;
    else if (field.number === 5) response.compactRevision = field.int;
    else if (field.number === 6) response.cancelReason = field.bytes.toString();
    else if (field.number === 11) events.push(readEvent(field.bytes));
  }
  return { ...response, events };
}

function readEvent(message: Buffer): EtcdEvent {
  let deleted = false;
  let kv: EtcdKeyValue | undefined;
  for (const field of readFields(message)) {
    if (field.number === 1) deleted = field.int === 1n;
    else if (field.number === 2) kv = readKeyValue(field.bytes);
  }
  if (kv === undefined) throw new Error("an event has no key");
  return { kv, deleted };
}

function readKeyValue(message: Buffer): EtcdKeyValue {
  const kv = { key: Buffer.alloc(0), createRevision: 0n, modRevision: 0n, version: 0n, value: new Uint8Array(0) };
  for (const field of readFields(message)) {
    if (field.number === 1)
      kv.key = field.bytes as typeof kv.key; // Buffer's type parameter does not matter here
    else if (field.number === 2) kv.createRevision = field.int;
    else if (field.number === 3) kv.modRevision = field.int;
    else if (field.number === 4) kv.version = field.int;
    // A copy: the value lives long, and a view would keep the whole answer alive with it.
    else if (field.number === 5) kv.value = new Uint8Array(field.bytes);
  }
  return kv;
}

export function leaseGrantRequest(seconds: number): MessageWriter {
  return new MessageWriter().int(1, seconds);
}

export function readLeaseGrantResponse(message: Buffer): bigint {
  for (const field of readFields(message)) if (field.number === 2) return field.int;
  throw new Error("the lease has no number");
}

export function leaseRevokeRequest(lease: bigint): MessageWriter {
  return new MessageWriter().int(1, lease);
}

export function authenticateRequest(username: string, password: string): MessageWriter {
  return new MessageWriter().text(1, username).text(2, password);
}

export function readAuthenticateResponse(message: Buffer): string {
  for (const field of readFields(message)) if (field.number === 2) return field.bytes.toString();
  throw new Error("the answer has no token");
}

/** The size of the member's database in bytes. */
export function readStatusSize(message: Buffer): number {
  for (const field of readFields(message)) if (field.number === 3) return Number(field.int);
  return 0;
}

function headerRevision(field: MessageField): bigint {
  for (const inner of readFields(field.bytes)) if (inner.number === 3) return inner.int;
  return 0n;
}
