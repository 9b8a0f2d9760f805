/** Jumps to a kind by a part of its name, its short name or its group, and to a namespace. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { matchingKinds } from "../state/kinds.ts";
import { objectsOf } from "../state/route.ts";
import { Dialog } from "./dialog.tsx";
import { Waiting } from "./notes.tsx";

const shownMax = 12;

export interface JumpOptions {
  /** Undefined: it is still read. */
  readonly discovery: Discovery | undefined;
  /** Where the list begins if none is typed; "": all. */
  readonly namespace: string;
  readonly onClose: () => void;
}

export function Jump({ discovery, namespace, onClose }: JumpOptions) {
  const [word, setWord] = useState("");
  const [chosen, setChosen] = useState(0);
  const [isEntered, setEntered] = useState(false);
  // As in other consoles: "pods shop" is the kind and the namespace, "pods all" those of all.
  const [kind = "", wanted = namespace] = word.trim().split(/\s+/);
  const found = discovery === undefined ? [] : matchingKinds(discovery, kind).slice(0, shownMax);
  // A name that is entered before the kinds are read leads there when they are.
  useEffect(() => {
    if (isEntered && discovery !== undefined) go(found[0]);
  }, [isEntered, discovery]);
  const go = (resource: DiscoveredResource | undefined) => {
    if (resource === undefined) return;
    location.hash = objectsOf(resource, resource.namespaced ? { namespace: wanted === "all" ? "" : wanted } : {});
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setChosen((chosen + step + found.length) % Math.max(found.length, 1));
    else if (event.key === "Enter" && discovery === undefined) setEntered(true);
    else if (event.key === "Enter") go(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Jump to a kind" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Kind"
        aria-expanded="true"
        aria-controls="kinds-found"
        aria-activedescendant={`kind-${chosen}`}
        placeholder="pods, po, deployments.apps, pods NAMESPACE …"
        autocomplete="off"
        value={word}
        onKeyDown={onKeyDown}
        onInput={(event) => {
          setWord(event.currentTarget.value);
          setChosen(0);
        }}
      />
      <div class="found" id="kinds-found" role="listbox" aria-label="Kinds">
        {found.map((resource, at) => (
          <button
            type="button"
            role="option"
            tabIndex={-1}
            id={`kind-${at}`}
            key={`${resource.group}/${resource.resource}`}
            aria-selected={at === chosen}
            onClick={() => go(resource)}
          >
            {resource.resource} <small>{resource.group || "core"}</small>
          </button>
        ))}
      </div>
      {discovery === undefined && <Waiting what="the kinds" />}
      {found.length === 0 && discovery !== undefined && <p class="note">No kind has this in its name.</p>}
    </Dialog>
  );
}
