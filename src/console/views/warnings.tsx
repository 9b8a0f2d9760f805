/** Warnings of the server about what the user has done, until they are dismissed. */

import { useEffect, useState } from "preact/hooks";
import type { Notices } from "../state/notices.ts";

export function Warnings({ notices }: { readonly notices: Notices }) {
  const [messages, setMessages] = useState<readonly string[]>([]);
  useEffect(() => notices.listen(setMessages), [notices]);
  if (messages.length === 0) return null;
  return (
    <div class="note warning" role="status">
      {messages.map((message) => (
        <p key={message}>Warning: {message}</p>
      ))}
      <button type="button" onClick={notices.clear}>
        Dismiss
      </button>
    </div>
  );
}
