/** Copies a text, as it is shown. */

import { useState } from "preact/hooks";

export function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState("");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(text),
      () => undefined,
    );
  };
  return (
    <button type="button" onClick={copy}>
      {copied === text && text !== "" ? "Copied" : "Copy"}
    </button>
  );
}
