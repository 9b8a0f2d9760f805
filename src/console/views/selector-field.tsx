/** A selector that the server applies: it is sent when it is complete, not with each letter. */

import { useEffect, useState } from "preact/hooks";

interface SelectorFieldOptions {
  readonly label: string;
  /** "filter": the key / leads here. */
  readonly id?: string | undefined;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SelectorField({ label, id, hint, value, onChange }: SelectorFieldOptions) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange(typed);
      }}
    >
      <input
        type="text"
        id={id}
        aria-label={label}
        placeholder={hint}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => typed !== value && onChange(typed)}
      />
    </form>
  );
}
