/** The command palette: pages, kinds, objects by name, and what can be created. */

import { useEffect, useState } from "preact/hooks";
import { readNames } from "../server/names.ts";
import { type NamedObject, type Offer, offersFor } from "../state/palette.ts";
import { Dialog } from "./dialog.tsx";
import { Waiting } from "./notes.tsx";
import type { Page } from "./page.ts";

interface JumpOptions {
  /** Undefined: what the server serves is still read. */
  readonly page: Page | undefined;
  /** Where the list begins if none is typed; "": all. */
  readonly namespace: string;
  readonly onClose: () => void;
}

export function Jump({ page, namespace, onClose }: JumpOptions) {
  const [word, setWord] = useState("");
  const [chosen, setChosen] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const objects = useNames(page);
  const { isReadOnly = false } = page?.connection.facts ?? {};
  const found =
    page === undefined ? [] : offersFor(word, { discovery: page.discovery, namespace, objects, isReadOnly });
  const go = (offer: Offer | undefined) => {
    if (offer === undefined) return;
    location.hash = offer.href;
    onClose();
  };
  // A name that is entered before the kinds are read leads there when they are.
  useEffect(() => {
    if (isEntered && page !== undefined) go(found[0]);
  }, [isEntered, page === undefined]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setChosen((chosen + step + found.length) % Math.max(found.length, 1));
    else if (event.key === "Enter" && page === undefined) setEntered(true);
    else if (event.key === "Enter") go(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Kind, object or page"
        aria-expanded="true"
        aria-controls="offers"
        aria-activedescendant={`offer-${chosen}`}
        placeholder="pods, po shop, the name of an object, new deployment …"
        autocomplete="off"
        value={word}
        onKeyDown={onKeyDown}
        onInput={(event) => {
          setWord(event.currentTarget.value);
          setChosen(0);
        }}
      />
      <div class="found palette" id="offers" role="listbox" aria-label="Where to go">
        {found.map((offer, at) => (
          <button
            type="button"
            role="option"
            tabIndex={-1}
            id={`offer-${at}`}
            key={offer.key}
            aria-selected={at === chosen}
            onClick={() => go(offer)}
          >
            <bdi>{offer.label}</bdi>{" "}
            <small>
              <bdi>{offer.hint}</bdi>
            </small>
          </button>
        ))}
      </div>
      {page === undefined && <Waiting what="the kinds" />}
      {found.length === 0 && page !== undefined && <p class="note">No page, kind or object has this in its name.</p>}
    </Dialog>
  );
}

/** Read when the palette opens, while somebody types. */
function useNames(page: Page | undefined): readonly NamedObject[] {
  const [names, setNames] = useState<readonly NamedObject[]>([]);
  useEffect(() => {
    if (page === undefined) return;
    const ended = new AbortController();
    void readNames({ ...page, signal: ended.signal }, setNames);
    return () => ended.abort();
  }, [page === undefined]);
  return names;
}
