/** Chooses a namespace, or all; a user who may not list them can type one. */

import { useEffect, useState } from "preact/hooks";
import type { Connection } from "../server/connection.ts";
import { parts, text } from "../server/json.ts";

export interface NamespaceFieldOptions {
  readonly connection: Connection;
  /** "": all. */
  readonly value: string;
  readonly onChange: (namespace: string) => void;
}

/** How many are offered; any can be typed. */
export const offeredMax = 500;

export function NamespaceField({ connection, value, onChange }: NamespaceFieldOptions) {
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    connection.send.json(`/api/v1/namespaces?limit=${offeredMax}`).then(
      (list) => setNames(parts(list, "items").map((item) => text(item, "metadata", "name"))),
      () => setNames([connection.facts.namespace]),
    );
  }, [connection]);
  return (
    <>
      <input
        type="text"
        list="namespaces"
        aria-label="Namespace"
        placeholder="All; or a, b"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
      <datalist id="namespaces">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
