/** One object, followed, and what the user may do to it. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../../client/contract.ts";
import { follow } from "../../server/follow.ts";
import { type Json, parts } from "../../server/json.ts";
import { may } from "../../server/objects.ts";
import type { Page } from "../page.ts";

export interface ObjectOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
}

interface ShownObject {
  /** Undefined: it is still read, or was never there. */
  readonly object: Json | undefined;
  readonly isGone: boolean;
  readonly error: Error | undefined;
}

export function useObject({ page, resource, namespace, name }: ObjectOptions): ShownObject {
  const [shown, setShown] = useState<ShownObject>({ object: undefined, isGone: false, error: undefined });
  useEffect(() => {
    const ended = new AbortController();
    const query = { fieldSelector: `metadata.name=${name}` };
    const show = (change: Partial<ShownObject>) => setShown((before) => ({ ...before, error: undefined, ...change }));
    const followed = { resource, namespace, query, accept: "application/json", signal: ended.signal };
    void follow(page.connection, followed, {
      listed: (list) => {
        const item = parts(list, "items")[0];
        // Items of a list need not say what they are.
        if (item === undefined) setShown((before) => goneOf(before, page.connection.at));
        else show({ object: item, isGone: false });
      },
      complete: () => undefined,
      changed: (type, changed) => show({ object: changed, isGone: type === "DELETED" }),
      failed: (failure) => show({ error: failure }),
    });
    return () => ended.abort();
  }, [page.connection]);
  return shown;
}

/** Now, it stays as it was seen last; at another moment it was never there. */
const goneOf = ({ object }: ShownObject, at: string): ShownObject => ({
  object: at === "" ? object : undefined,
  isGone: true,
  error: undefined,
});

export interface ObjectRights {
  readonly update: boolean;
  readonly delete: boolean;
  /** Of pods; false for every other kind. */
  readonly logs: boolean;
  /** A shell in a pod; false for every other kind. */
  readonly exec: boolean;
}

/** Undefined: the server has not said yet. */
export function useObjectRights({ page, resource, namespace, name }: ObjectOptions): ObjectRights | undefined {
  const [rights, setRights] = useState<ObjectRights | undefined>(undefined);
  useEffect(() => {
    const access = { ...page, resource, ref: { namespace, name } };
    const mayReadLogs = resource.subresources.includes("log") ? may("get", { ...access, subresource: "log" }) : false;
    const hasShells = page.connection.streams !== undefined && resource.subresources.includes("exec");
    const mayExec = hasShells ? may("create", { ...access, subresource: "exec" }) : false;
    Promise.all([may("update", access), may("delete", access), mayReadLogs, mayExec]).then(
      ([update, mayDelete, logs, exec]) => setRights({ update, delete: mayDelete, logs, exec }),
      () => undefined,
    );
  }, [page.connection]);
  return rights;
}
