/** Copies a text, and says for a moment that it has. */

import { useState } from "preact/hooks";

interface CopyButtonOptions {
  /** A function makes it when it is copied. */
  readonly text: string | (() => string);
  readonly label?: string;
}

const saidForMs = 2_000;

export function CopyButton({ text, label = "Copy" }: CopyButtonOptions) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    setCopied(true);
    setTimeout(() => setCopied(false), saidForMs);
  };
  return (
    <button type="button" onClick={() => copy().catch(() => undefined)}>
      {isCopied ? "Copied" : label}
    </button>
  );
}
