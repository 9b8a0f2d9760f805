/** Copies of a server for tests, where it makes them. */

import { useEffect, useState } from "preact/hooks";
import { type Json, text } from "../server/json.ts";
import { createFork, deleteFork, readForks } from "../server/testing.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Question } from "./question.tsx";

export function Forks({ page: { connection, testing } }: { readonly page: Page }) {
  const [forks, setForks] = useState<readonly Json[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  /** The fork that a question is about; "": none. */
  const [asked, setAsked] = useState("");
  const read = () => readForks(connection).then(setForks, setError);
  useEffect(() => {
    if (testing.hasForks) void read();
  }, [testing.hasForks]);
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
                onClick={() => setAsked(text(fork, "name"))}
              >
                Close
              </button>
            )}
          </li>
        ))}
      </ul>
      {asked !== "" && (
        <Question
          title="Close a fork"
          act={`Close the fork ${asked}`}
          isDangerous
          onConfirm={() => deleteFork(connection, asked).then(read)}
          onClose={() => setAsked("")}
        >
          <p>
            The fork{" "}
            <strong>
              <bdi>{asked}</bdi>
            </strong>{" "}
            ends, and what was changed in it is lost.
          </p>
        </Question>
      )}
    </section>
  );
}
