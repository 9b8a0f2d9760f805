/** Short messages: an error, or that something is still being read. */

import { StatusError } from "../../machinery/status/status.ts";

export function ErrorNote({ error }: { readonly error: unknown }) {
  const message = error instanceof Error ? error.message : String(error);
  const causes = error instanceof StatusError ? (error.details?.causes ?? []) : [];
  return (
    <div class="note error" role="alert">
      <p>{message}</p>
      {causes.length > 1 && (
        <ul>
          {causes.map(({ field, message }) => (
            <li key={`${field}${message}`}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export const Waiting = ({ what }: { readonly what: string }) => (
  <p class="note waiting" aria-live="polite">
    Reading {what} …
  </p>
);
