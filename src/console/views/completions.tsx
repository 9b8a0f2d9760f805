/** What could be typed, below the word that was begun. */

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Completion } from "../state/completion.ts";

interface CompletionsOptions {
  readonly completion: Completion;
  /** Undefined: none. */
  readonly chosen: number | undefined;
  /** In pixels, from the top of the text. */
  readonly top: number;
  readonly left: string;
  readonly onAccept: (which: number) => void;
}

/** More of a description is in the documentation of the field, once it is there. */
const descriptionCharsMax = 300;

export function Completions({ completion: { suggestions }, chosen, top, left, onAccept }: CompletionsOptions) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => list.current?.children[chosen ?? 0]?.scrollIntoView({ block: "nearest" }), [chosen]);
  const description = suggestions[chosen ?? 0]?.description ?? "";
  return (
    <div class="completions" style={{ top: `${top}px`, left }}>
      <div class="found" ref={list} id="completions" role="listbox" aria-label="What can be typed here">
        {suggestions.map(({ label, type, isRequired }, at) => (
          <button
            type="button"
            role="option"
            tabIndex={-1}
            id={`completion-${at}`}
            key={label}
            aria-selected={at === chosen}
            // The text field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onAccept(at)}
          >
            {label} <small>{isRequired ? `${type}, required` : type}</small>
          </button>
        ))}
      </div>
      {description !== "" && <p>{description.slice(0, descriptionCharsMax)}</p>}
    </div>
  );
}
