/** Copies of a server for tests, where it makes them. */

import { useEffect, useState } from "preact/hooks";
import { type Json, text } from "../server/json.ts";
import { createFork, deleteFork, readForks } from "../server/testing.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";

export function Forks({ page: { connection } }: { readonly page: Page }) {
  const [forks, setForks] = useState<readonly Json[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const read = () => readForks(connection).then(setForks, setError);
  useEffect(() => void read(), []);
  const act = (work: () => Promise<unknown>) => {
    setError(undefined);
    work().then(read, setError);
  };
  if (forks === undefined) return null;
  const { isReadOnly } = connection.facts;
  return (
    <section>
      <h2>Forks</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {!isReadOnly && (
        <button type="button" onClick={() => act(() => createFork(connection))}>
          Fork the present state
        </button>
      )}
      {forks.length === 0 && <p>There are no forks.</p>}
      <ul>
        {forks.map((fork) => (
          <li key={text(fork, "name")}>
            <bdi>{text(fork, "name")}</bdi> <code>{text(fork, "server")}</code>{" "}
            {!isReadOnly && (
              <button
                type="button"
                aria-label={`Close ${text(fork, "name")}`}
                onClick={() => act(() => deleteFork(connection, text(fork, "name")))}
              >
                Close
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
