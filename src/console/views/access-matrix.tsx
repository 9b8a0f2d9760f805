/** What somebody may do with each kind, as a matrix of kinds and verbs. */

import { useEffect, useRef, useState } from "preact/hooks";
import { fillMatrix, matrixVerbs } from "../server/access.ts";
import { listable } from "../state/kinds.ts";
import { objectsOf } from "../state/route.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Wide } from "./wide.tsx";

export interface AccessMatrixOptions {
  readonly page: Page;
  readonly user: string;
  readonly namespace: string;
}

type Rights = ReadonlyMap<string, ReadonlySet<string>>;

/** For one user and one namespace: with others it is another one, so that it never shows their rights. */
export function AccessMatrix({ page, user, namespace }: AccessMatrixOptions) {
  const [rights, setRights] = useState<Rights | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const ended = useRef(new AbortController());
  const resources = listable(page.discovery);
  useEffect(() => () => ended.current.abort(), []);
  const read = () => {
    const { signal } = ended.current;
    setRights(new Map());
    setError(undefined);
    const who = { user, groups: [], namespace };
    fillMatrix({ ...page, signal }, who, resources, ({ group, resource }, allowed) =>
      setRights((all) => (signal.aborted ? all : new Map(all).set(`${group}/${resource}`, allowed))),
    ).catch((failure: unknown) => signal.aborted || setError(failure));
  };
  return (
    <section>
      <h2>What {user || "you"} may do</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {rights === undefined && (
        <button type="button" onClick={read}>
          Show all rights
        </button>
      )}
      {rights !== undefined && (
        <Wide label="Rights">
          <p role="status">
            {rights.size < resources.length ? `${rights.size} of ${resources.length} kinds …` : `${rights.size} kinds`}
            {namespace === "" ? ", in all namespaces" : `, in the namespace ${namespace}`}
          </p>
          <table>
            <thead>
              <tr>
                <th scope="col">Kind</th>
                {matrixVerbs.map((verb) => (
                  <th scope="col" key={verb}>
                    {verb}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {resources.map((resource) => {
                const key = `${resource.group}/${resource.resource}`;
                const allowed = rights.get(key);
                return (
                  <tr key={key}>
                    <th scope="row">
                      <a href={objectsOf(resource)}>{resource.resource}</a> <small>{resource.group}</small>
                    </th>
                    {matrixVerbs.map((verb) => (
                      <td key={verb} class={allowed?.has(verb) ? "live" : "no"}>
                        {allowed === undefined
                          ? ""
                          : !resource.verbs.includes(verb)
                            ? ""
                            : allowed.has(verb)
                              ? "yes"
                              : "no"}
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Wide>
      )}
    </section>
  );
}
