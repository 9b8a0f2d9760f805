/** The messages of etcd's v3 API that the store speaks; numbers are those of etcd's rpc.proto and kv.proto. */

import { MessageFields, MessageWriter } from "../../base/protobuf-message.ts";

const noBytes: Buffer = Buffer.alloc(0);

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
  /** A part of the answer, which lives as long. */
  readonly value: Buffer;
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
    .bytes(2, request.rangeEnd ?? noBytes)
    .int(3, request.limit ?? 0)
    .int(4, request.revision ?? 0n)
    .bool(9, request.countOnly ?? false);
}

export function readRangeResponse(message: Buffer): RangeResponse {
  return readRange(new MessageFields(message));
}

function readRange(fields: MessageFields): RangeResponse {
  let revision = 0n;
  let count = 0;
  const kvs: EtcdKeyValue[] = [];
  while (fields.next()) {
    if (fields.number === 1) revision = headerRevision(fields.fields);
    else if (fields.number === 2) kvs.push(readKeyValue(fields.fields));
    else if (fields.number === 4) count = Number(fields.int);
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
  const fields = new MessageFields(message);
  while (fields.next()) {
    if (fields.number === 1) revision = headerRevision(fields.fields);
    else if (fields.number === 2) succeeded = fields.int !== 0n;
    else if (fields.number === 3) {
      const response = fields.fields;
      while (response.next()) if (response.number === 1) found.push(readRange(response.fields).kvs[0]);
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
    .bytes(2, request.rangeEnd ?? noBytes)
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
  const fields = new MessageFields(message);
  while (fields.next()) {
    const { number } = fields;
    if (number === 1) response.revision = headerRevision(fields.fields);
    else if (number === 3) response.created = fields.int !== 0n;
    else if (number === 4) response.canceled = fields.int !== 0n;
    else if (number === 5) response.compactRevision = fields.int;
    else if (number === 6) response.cancelReason = fields.bytes.toString();
    else if (number === 11) events.push(readEvent(fields.fields));
  }
  return { ...response, events };
}

function readEvent(fields: MessageFields): EtcdEvent {
  let deleted = false;
  let kv: EtcdKeyValue | undefined;
  while (fields.next()) {
    if (fields.number === 1) deleted = fields.int === 1n;
    else if (fields.number === 2) kv = readKeyValue(fields.fields);
  }
  if (kv === undefined) throw new Error("an event has no key");
  return { kv, deleted };
}

function readKeyValue(fields: MessageFields): EtcdKeyValue {
  const kv = { key: noBytes, createRevision: 0n, modRevision: 0n, version: 0n, value: noBytes };
  while (fields.next()) {
    const { number } = fields;
    if (number === 1) kv.key = fields.bytes;
    else if (number === 2) kv.createRevision = fields.int;
    else if (number === 3) kv.modRevision = fields.int;
    else if (number === 4) kv.version = fields.int;
    else if (number === 5) kv.value = fields.bytes;
  }
  return kv;
}

export function leaseGrantRequest(seconds: number): MessageWriter {
  return new MessageWriter().int(1, seconds);
}

export function readLeaseGrantResponse(message: Buffer): bigint {
  const fields = new MessageFields(message);
  while (fields.next()) if (fields.number === 2) return fields.int;
  throw new Error("the lease has no number");
}

export function leaseRevokeRequest(lease: bigint): MessageWriter {
  return new MessageWriter().int(1, lease);
}

export function authenticateRequest(username: string, password: string): MessageWriter {
  return new MessageWriter().text(1, username).text(2, password);
}

export function readAuthenticateResponse(message: Buffer): string {
  const fields = new MessageFields(message);
  while (fields.next()) if (fields.number === 2) return fields.bytes.toString();
  throw new Error("the answer has no token");
}

/** The size of the member's database in bytes. */
export function readStatusSize(message: Buffer): number {
  const fields = new MessageFields(message);
  while (fields.next()) if (fields.number === 3) return Number(fields.int);
  return 0;
}

function headerRevision(fields: MessageFields): bigint {
  while (fields.next()) if (fields.number === 3) return fields.int;
  return 0n;
}
