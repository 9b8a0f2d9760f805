/** A selector that the server applies: it is sent when it is complete, not with each letter. */

import { useEffect, useState } from "preact/hooks";

export interface SelectorFieldOptions {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SelectorField({ label, hint, value, onChange }: SelectorFieldOptions) {
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
        aria-label={label}
        placeholder={hint}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => typed !== value && onChange(typed)}
      />
    </form>
  );
}
