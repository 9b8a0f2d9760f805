/** What keys of the store are about that belong to workspaces, for those who read all of a store. */

import { isRemoved } from "../../kv/views/view.ts";
import { decodeStoredText } from "../../machinery/json/json.ts";
import { isObject } from "../../machinery/json/json-value.ts";

/** An entry as it is inside of what it belongs to. */
interface StoredPlace {
  /** The key there: that of an object begins with a slash. */
  readonly key: string;
  /** The uid of its workspace. Absent: it is of the root, or of a base. */
  readonly workspace?: string;
  /** Of a base, with which workspaces begin. */
  readonly base?: string;
  /** The entry says that what the base has there is gone. */
  readonly isRemoved: boolean;
}

const inside = /^(workspaces|workspace-bases)\/([^/]+)\/(.+)$/s;
/** Which base a type has, and when a workspace is due. */
const internal = /^(workspace-types|workspace-wakes)\/[^/]+$/;

export function placeOf({ key, value }: { readonly key: string; readonly value: Uint8Array }): StoredPlace {
  const [, kind, id = "", own = ""] = (key.startsWith("/") ? undefined : inside.exec(key)) ?? [];
  if (kind === undefined) return { key, isRemoved: false };
  return {
    key: own,
    ...(kind === "workspaces" ? { workspace: id } : { base: id }),
    isRemoved: kind === "workspaces" && isRemoved(value),
  };
}

/** The key under which an object is encrypted: that of its workspace, which does not know the store around it. Undefined: it is not an object. */
export function objectKeyOf(entry: { readonly key: string; readonly value: Uint8Array }): string | undefined {
  const place = placeOf(entry);
  return place.key.startsWith("/") && !place.isRemoved ? place.key : undefined;
}

/** Whether the entry is not an object, but one of those by which servers find their way. */
export const isOfWorkspaces = (key: string): boolean => internal.test(key);

/** What a stored Workspace object says; empty where it says nothing, or cannot be read. */
export function workspaceIn(value: Uint8Array): { readonly uid: string; readonly name: string; readonly base: string } {
  const said = readJson(value);
  const [metadata, status] = [memberOf(said, "metadata"), memberOf(said, "status")];
  const text = (from: unknown, name: string) => {
    const member = memberOf(from, name);
    return typeof member === "string" ? member : "";
  };
  return { uid: text(metadata, "uid"), name: text(metadata, "name"), base: text(status, "base") };
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

function readJson(value: Uint8Array): unknown {
  try {
    return decodeStoredText(Buffer.from(value).toString("utf8"));
  } catch {
    return undefined; // others say that it is damaged
  }
}
