/** How the objects of one family look as bytes in one version, and which fields selectors may use. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { printManagedFields } from "../../machinery/apply/print-managed.ts";
import { decodeStoredObject } from "../../machinery/apply/read-stored.ts";
import { Utf8Writer } from "../../machinery/codec/utf8-writer.ts";
import { printRaw } from "../../machinery/json/go-json.ts";
import { encodeJson } from "../../machinery/json/json.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import type { Printed } from "../../machinery/json/printed-spec.ts";
import { DefaultsTooLarge, filledBytesMax } from "../../machinery/json-schema/coerce.ts";
import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import { convertNow } from "../../machinery/schema/convert.ts";
import { mayHaveFinals, printInPieces } from "../../machinery/schema/final-places.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { StructSchema } from "../../machinery/schema/schema.ts";
import type { SelectableAttributes } from "./entry.ts";

/** How many label sets and namespaces are kept to be shared; beyond that, sharing starts again with an empty table. */
const sharedMax = 10_000;

const noLabels: ReadonlyMap<string, string> = new Map();
const noValues: readonly string[] = [];

export interface Layout {
  readonly family: Family;
  /** The version that the bytes are of. */
  readonly version: BoundKind;
  /** Paths of the selectable and indexed fields beyond metadata.name and metadata.namespace. */
  readonly paths: readonly string[];
  /** Where `"metadata":` begins in the bytes; a list prints items from here on. */
  readonly itemOffset: number;
  /** Where the resourceVersion goes into the stored bytes. */
  readonly versionAt: number;
  /** The stored JSON of an object of the stored version, without resourceVersion. `printed`: how one of its members is printed. */
  encode(object: ApiObject, printed?: Printed): Buffer;
  /** `hub` is the object in the hub version. */
  attributes(hub: ApiObject): SelectableAttributes;
  /** Whether bytes begin as those of this version do. */
  isOwn(value: Uint8Array): boolean;
  /** One text for all equal ones. */
  intern(text: string): string;
}

const layouts = new WeakMap<BoundKind, Layout>();

export function layoutOf(version: BoundKind): Layout {
  let layout = layouts.get(version);
  if (layout === undefined) {
    layout = createShape(version);
    layouts.set(version, layout);
  }
  return layout;
}

/** A stored value as an entry shows it: `body` is the value itself unless it was printed elsewhere or has another schema now. */
interface StoredValue {
  readonly layout: Layout;
  readonly body: Uint8Array;
  readonly attributes: SelectableAttributes;
  /** Whether the defaults of the schema are left out of `body`, because they would add too much. */
  readonly lacksDefaults: boolean;
}

/**
 * An object stays in the version in which it was stored: nothing is converted here. Throws when the bytes are not an object. `change`
 * makes what is shown differ from what is stored.
 */
export function readStored(
  family: Family,
  value: Uint8Array,
  addedBytesMax = filledBytesMax,
  change?: (object: ApiObject) => void,
): StoredValue {
  const object = decodeStoredObject(value, family.stored.schema);
  if (!isObject(object) || !isObject(object["metadata"])) throw new Error("the stored bytes are not an object");
  const written = object as Partial<ApiObject> as ApiObject; // its metadata has just been checked
  change?.(written);
  const version = versionOf(family, written);
  const { isRefreshed, lacksDefaults } = refresh(version, written, addedBytesMax);
  const layout = layoutOf(version);
  // Selectable fields are declared for the hub. What a webhook would have to convert is selected by what is stored.
  const isHub = layout.paths.length === 0 || version === family.hub || !family.conversion.isImmediate;
  return {
    layout,
    body: !isRefreshed && change === undefined && layout.isOwn(value) ? value : layout.encode(written),
    attributes: layout.attributes(isHub ? written : convertNow(written, version, family.hub)),
    lacksDefaults,
  };
}

function refresh({ codec }: BoundKind, object: ApiObject, addedBytesMax: number) {
  try {
    return { isRefreshed: codec.refresh?.(object, addedBytesMax) ?? false, lacksDefaults: false };
  } catch (error) {
    if (!(error instanceof DefaultsTooLarge)) throw error;
    return { isRefreshed: true, lacksDefaults: true };
  }
}

/** The version of a family in which an object is stored. */
export function versionOf(family: Family, object: Pick<ApiObject, "apiVersion">): BoundKind {
  const version = String(object.apiVersion ?? "").replace(/^.*\//, "");
  return (
    family.versions.find((kind) => kind.apiVersion === object.apiVersion) ??
    family.versions.find((kind) => kind.version === version) ??
    family.stored
  );
}

function createShape(version: BoundKind): Layout {
  const { family } = version;
  const { strategy, environment } = family;
  const head = `{"apiVersion":${JSON.stringify(version.apiVersion)},"kind":${JSON.stringify(version.kind)},`;
  const prefix = Buffer.from(`${head}"metadata":{`);
  const selectable = Object.entries({ ...strategy.indexedFields, ...strategy.selectableFields });
  const raw = rawMembersOf(version.schema);
  const texts = new Map<string, string>();
  const labelSets = new Map<string, ReadonlyMap<string, string>>();

  const labelsOf = (labels: unknown): ReadonlyMap<string, string> => {
    if (!isObject(labels)) return noLabels;
    const keys = Object.keys(labels);
    if (keys.length === 0) return noLabels;
    let id = "";
    // With their lengths, no two sets look alike.
    for (const key of keys) {
      const value = String(labels[key]);
      id += `${key.length} ${value.length} ${key}${value}`;
    }
    const make = () => new Map(keys.map((key) => [key, String(labels[key])]));
    const found = shared(labelSets, id, make);
    if (checksCaches) checkAnswer("label sets", found, make());
    return found;
  };

  const layout: Layout = {
    family,
    version,
    paths: selectable.map(([path]) => path),
    itemOffset: Buffer.byteLength(head),
    versionAt: prefix.length,
    encode(object, printed) {
      writer.clear();
      writer.bytes(prefix);
      writeMetadata(object.metadata);
      if (mayHaveFinals(version.schema)) writeInPieces(object, version.schema);
      else {
        writer.text("}");
        writeMembers(object, first, ",", printed, raw);
        writer.text("}");
      }
      return writer.take();
    },
    attributes(object) {
      const values = selectable.length === 0 ? noValues : selectable.map(([, read]) => readField(read, object));
      return { labels: labelsOf(object.metadata?.labels), values };
    },
    isOwn: (value) => startsWith(value, prefix),
    intern: (text) => shared(texts, text, () => text),
  };

  // A declared function may get any value that was ever stored; a value it cannot read matches nothing and breaks nothing else.
  const readField = (read: (object: ApiObject, env: typeof environment) => string, object: ApiObject): string => {
    try {
      return layout.intern(String(read(object, environment)));
    } catch {
      return "";
    }
  };

  return layout;
}

const noNames: ReadonlySet<string> = new Set();

/** Members of objects whose text clients compare byte by byte: the data of a ControllerRevision. */
function rawMembersOf({ fields }: StructSchema): ReadonlySet<string> {
  const raw = [...fields].filter(([, { schema }]) => schema.type === "json" && schema.form === "raw");
  return raw.length === 0 ? noNames : new Set(raw.map(([name]) => name));
}

const writer = new Utf8Writer();

/** Members of metadata that are not printed with the others. */
const apart: ReadonlySet<string> = new Set(["resourceVersion", "managedFields"]);
/** Members of an object that come before all others. */
const first: ReadonlySet<string> = new Set(["kind", "apiVersion", "metadata"]);

/** The members of metadata without the version, but not the end of it. Managed fields come last, printed once for many objects. */
function writeMetadata(metadata: ApiObject["metadata"]): void {
  const { managedFields } = metadata;
  const before = writeMembers(metadata, apart, "");
  if (!managedFields) return;
  writer.text(`${before}"managedFields":`);
  printManagedFields(managedFields, writer);
}

/** All that follows the members of metadata. */
function writeInPieces(object: ApiObject, schema: StructSchema): void {
  const rest = { ...object, kind: undefined, apiVersion: undefined, metadata: undefined };
  const [text = "", ...others] = printInPieces(schema, rest);
  writer.text(text === "{}" ? "}}" : `},${text.toString().slice(1)}`); // the first piece is a text
  for (const piece of others) {
    if (typeof piece === "string") writer.text(piece);
    else writer.bytes(piece);
  }
}

/**
 * Each member as JSON, the first one after `before` and the others after a comma; returns what comes before the next one. One by one: a copy of
 * the object without `skipped` costs more than printing its values, and so does one text of all.
 */
function writeMembers(
  object: object,
  skipped: ReadonlySet<string>,
  before: "" | ",",
  printed?: Printed,
  raw: ReadonlySet<string> = noNames,
): "" | "," {
  let between = before;
  const members = object as Readonly<Record<string, unknown>>; // not a list
  for (const key in members) {
    const value = members[key];
    if (value === undefined || skipped.has(key)) continue;
    const plain = raw.has(key) ? printRaw : encodeJson;
    const text = value === printed?.value ? printed.text : plain(value);
    if (checksCaches) checkAnswer("printed specs", text, plain(value));
    writer.text(`${between}${JSON.stringify(key)}:${text}`);
    between = ",";
  }
  return between;
}

function shared<Value>(table: Map<string, Value>, key: string, make: () => Value): Value {
  const known = table.get(key);
  if (known !== undefined) return known;
  if (table.size >= sharedMax) table.clear();
  const made = make();
  table.set(key, made);
  return made;
}

function startsWith(value: Uint8Array, prefix: Uint8Array): boolean {
  if (value.byteLength <= prefix.byteLength) return false;
  for (let index = 0; index < prefix.byteLength; index += 1) if (value[index] !== prefix[index]) return false;
  return true;
}
