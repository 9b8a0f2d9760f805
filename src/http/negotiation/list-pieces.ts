/** Lists as sequences of pieces, so that the whole list is never in memory. */

import { atOnceBytesMax, type Steps } from "../../base/time-slice.ts";
import type { ListMeta } from "../../machinery/codec/envelope.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { encodeYamlSteps } from "../../machinery/codec/yaml-steps.ts";
import { encodeJson } from "../../machinery/json/json.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { conventionsOf } from "../../machinery/schema/conventions.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { ReusedBuffers } from "../contract/reused-buffers.ts";
import { prettyJson } from "./encode-value.ts";
import type { ListSource } from "./list-source.ts";
import type { Representations } from "./representations.ts";

const brace = Buffer.from("{");
const commaBrace = Buffer.from(",{");
const comma = Buffer.from(",");
const closing = Buffer.from("]}");

/** An empty piece: making the piece before or after it takes a while, so a time slice may end here. */
export const pause = Buffer.alloc(0);

const isLarge = ({ length }: Entry): boolean => length > atOnceBytesMax;

/**
 * The stored bytes themselves; nothing is parsed or encoded again. Objects of another version are converted one by one as they
 * are read, so the size of the list (`total`) is not known beforehand.
 */
export function objectPieces(
  representations: Representations,
  metadata: ListMeta,
  entries: readonly Entry[],
): { readonly pieces: Iterable<Buffer>; readonly total: number | undefined } {
  const { kind, itemOffset } = representations;
  const head = encodeJson({ apiVersion: kind.apiVersion, kind: kind.listKind, metadata });
  const start = Buffer.from(`${head.slice(0, -1)},"items":[`);
  const frame = conventionsOf(kind).hasTypedItems
    ? { start, first: pause, next: comma, offset: 0 }
    : { start, first: brace, next: commaBrace, offset: itemOffset };
  const total = representations.hasSelfLinks ? undefined : totalBytes(kind, entries, frame);
  const pieces = total === undefined ? pack(representations, entries, frame) : packStored(entries, frame, total);
  return { pieces, total };
}

/** The text around the items of a list, and how many of each item's own bytes are skipped. */
interface Frame {
  readonly start: Buffer;
  /** `pause`: nothing comes before the first item. */
  readonly first: Buffer;
  readonly next: Buffer;
  readonly offset: number;
}

function totalBytes(kind: BoundKind, entries: readonly Entry[], { start, next, offset }: Frame): number | undefined {
  let total = start.length + closing.length - (entries.length === 0 ? 0 : 1);
  for (const { version, length } of entries) {
    if (version !== kind) return undefined;
    total += length - offset + next.length;
  }
  return total;
}

/**
 * Not inside the function that calls it: each new generator function has its own hidden class, which lives until a full
 * collection.
 */
function* pack(
  representations: Representations,
  entries: readonly Entry[],
  { start, first, next, offset }: Frame,
): Iterable<Buffer> {
  yield start;
  let before = first;
  for (const entry of entries) {
    if (before !== pause) yield before;
    if (entry.version === representations.kind || !isLarge(entry)) yield representations.json(entry).subarray(offset);
    else {
      yield (yield* pausing(representations.jsonInSteps(entry))).subarray(offset);
      yield pause;
    }
    before = next;
  }
  yield closing;
}

/** How many bytes a piece of stored objects has, and how many more it may have, so that another object fits into it. */
const pieceBytes = 65_536;
const pieceBytesMax = pieceBytes + 16_384;
/** The buffers of list pieces. The sender of a piece gives it back. */
export const pieceBuffers = new ReusedBuffers(pieceBytesMax, 16);

/** All entries are of the version that is sent. They are copied once, into pieces that are large enough to be sent as they are. */
function* packStored(
  entries: readonly Entry[],
  { start, first, next, offset }: Frame,
  total: number,
): Iterable<Buffer> {
  let left = total;
  let piece = pieceOf(left, pieceBytesMax);
  piece.set(start, 0);
  let end = start.length;
  let before = first;
  for (const entry of entries) {
    const length = before.length + entry.length - offset;
    if (end >= pieceBytes || end + length + closing.length > piece.length) {
      yield piece.subarray(0, end);
      left -= end;
      piece = pieceOf(left, Math.max(pieceBytesMax, length + closing.length));
      end = 0;
    }
    piece.set(before, end);
    end = entry.copyTo(piece, end + before.length, offset);
    before = next;
  }
  piece.set(closing, end);
  yield piece.subarray(0, end + closing.length);
}

/** A buffer for what is `left` of a list, or for `bytesMax` of it. */
function pieceOf(left: number, bytesMax: number): Buffer {
  const bytes = Math.min(left, bytesMax);
  return bytes === pieceBuffers.bytes ? pieceBuffers.take() : Buffer.allocUnsafeSlow(bytes);
}

export function* jsonPieces(source: ListSource, entries: readonly Entry[]): Iterable<Buffer> {
  const head = encodeJson(source.head).slice(0, -1);
  if (entries.length === 0) {
    yield Buffer.from(`${head},"${source.itemsName}":${source.whenEmpty}}`);
    return;
  }
  yield Buffer.from(`${head},"${source.itemsName}":[`);
  let first = true;
  for (const entry of entries) {
    if (!first) yield comma;
    first = false;
    const item = isLarge(entry) ? yield* pausing(source.itemInSteps(entry)) : source.item(entry);
    yield Buffer.from(encodeJson(item));
    if (isLarge(entry)) yield pause;
  }
  yield closing;
}

/** Indented as `prettyJson` would indent the whole list. */
export function* prettyPieces(source: ListSource, entries: readonly Entry[]): Iterable<Buffer> {
  const head = prettyJson(source.head).slice(0, -2);
  if (entries.length === 0) {
    yield Buffer.from(`${head},\n  "${source.itemsName}": ${source.whenEmpty}\n}`);
    return;
  }
  let before = `${head},\n  "${source.itemsName}": [\n    `;
  for (const entry of entries) {
    const item = isLarge(entry) ? yield* pausing(source.itemInSteps(entry)) : source.item(entry);
    yield Buffer.from(before + prettyJson(item).replaceAll("\n", "\n    "));
    before = ",\n    ";
    if (isLarge(entry)) yield pause;
  }
  yield Buffer.from("\n  ]\n}");
}

/** Keys are sorted in YAML, so those that sort after `items` follow the items. */
export function* yamlPieces(source: ListSource, entries: readonly Entry[]): Iterable<Buffer> {
  const { head, itemsName } = source;
  const before = Object.entries(head).filter(([name]) => name < itemsName);
  const after = Object.entries(head).filter(([name]) => name > itemsName);
  const empty = entries.length === 0 ? ` ${source.whenEmpty}` : "";
  yield Buffer.from(`${encodeYaml(Object.fromEntries(before))}${itemsName}:${empty}\n`);
  for (const entry of entries) {
    if (isLarge(entry)) yield* yamlItem(yield* pausing(source.itemInSteps(entry)));
    else yield Buffer.from(encodeYaml([source.item(entry)]));
  }
  if (after.length > 0) yield Buffer.from(encodeYaml(Object.fromEntries(after)));
}

/** YAML takes several times as long to print as JSON, so even one item is printed in steps. */
function* yamlItem(item: unknown): Iterable<Buffer> {
  yield yield* pausing(encodeYamlSteps([item]));
}

/** What the steps make, none of which waits for anything, with a pause after each of them. */
function* pausing<T>(steps: Steps<T>): Generator<Buffer, T> {
  for (;;) {
    const step = steps.next();
    yield pause;
    if (step.done) return step.value;
  }
}
