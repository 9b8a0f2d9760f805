/** Chooses a namespace, several or all, with a list that is searched as one types; a user who may not list them can type one. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Connection } from "../server/connection.ts";
import { parts, text } from "../server/json.ts";
import { offeredNamespaces, withNamespace } from "../state/namespaces.ts";

interface NamespaceFieldOptions {
  readonly connection: Connection;
  /** "": all. */
  readonly value: string;
  readonly onChange: (namespace: string) => void;
}

/** How many are known; any can be typed. */
const offeredMax = 500;

export function NamespaceField({ connection, value, onChange }: NamespaceFieldOptions) {
  const names = useNamespaces(connection);
  const [typed, setTyped] = useState(value);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(value), [value]);
  // Until something is typed all are offered, not those that look like the present one.
  const offers = isOpen ? offeredNamespaces(names, typed === value ? "" : typed) : [];
  const commit = (next: string) => {
    setOpen(false);
    setChosen(-1);
    setTyped(next);
    if (next !== value) onChange(next);
  };
  const take = (name: string) => commit(typed === value ? name : withNamespace(typed, name));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const offer = offers[chosen];
    if (step !== 0 && !isOpen) setOpen(true);
    else if (step !== 0) setChosen((chosen + step + offers.length) % Math.max(offers.length, 1));
    else if (event.key === "Enter" && offer !== undefined) take(offer);
    else if (event.key === "Enter") commit(typed.trim());
    else if (event.key === "Escape" && isOpen) setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="picker">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Namespace"
        aria-expanded={isOpen}
        aria-controls="namespaces"
        aria-activedescendant={offers[chosen] === undefined ? undefined : `namespace-${chosen}`}
        placeholder="All namespaces"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onFocus={() => input.current?.select()}
        onClick={() => setOpen(true)}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setOpen(true);
          setChosen(-1);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => commit(typed.trim())}
      />
      <div class="found" id="namespaces" role="listbox" aria-label="Namespaces" hidden={offers.length === 0}>
        {offers.map((name, at) => (
          <button
            type="button"
            role="option"
            tabIndex={-1}
            id={`namespace-${at}`}
            key={name}
            aria-selected={at === chosen}
            // The text field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(name)}
          >
            {name === "" ? "All namespaces" : <bdi>{name}</bdi>}
          </button>
        ))}
      </div>
    </div>
  );
}

function useNamespaces(connection: Connection): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    connection.send.json(`/api/v1/namespaces?limit=${offeredMax}`).then(
      (list) => setNames(parts(list, "items").map((item) => text(item, "metadata", "name"))),
      () => setNames([connection.facts.namespace]),
    );
  }, [connection]);
  return names;
}
