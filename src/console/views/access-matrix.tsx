/** What somebody may do with each kind, as a matrix of kinds and verbs. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { fillMatrix, matrixVerbs } from "../server/access.ts";
import { listable } from "../state/kinds.ts";
import { objectsOf } from "../state/route.ts";
import { ListTable } from "./list-table.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";

interface AccessMatrixOptions {
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
    fillMatrix({ ...page, signal }, who, resources, (resource, allowed) =>
      setRights((all) => (signal.aborted ? all : new Map(all).set(keyOf(resource), allowed))),
    ).catch((failure: unknown) => signal.aborted || setError(failure));
  };
  return (
    <section>
      <h2>What {user || "you"} may do</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {rights === undefined && (
        <button type="button" onClick={read}>
          Show all permissions
        </button>
      )}
      {rights !== undefined && (
        <>
          <p role="status">
            {rights.size < resources.length ? `${rights.size} of ${resources.length} kinds …` : `${rights.size} kinds`}
            {namespace === "" ? ", in all namespaces" : `, in the namespace ${namespace}`}
          </p>
          <ListTable
            label="Rights"
            items={resources}
            keyOf={keyOf}
            columns={[
              {
                name: "Kind",
                cell: (resource) => (
                  <>
                    <a href={objectsOf(resource)}>{resource.resource}</a> <small>{resource.group}</small>
                  </>
                ),
              },
              ...matrixVerbs.map((verb) => ({
                name: verb,
                cell: (resource: DiscoveredResource) => answerOf(resource, verb, rights),
                classOf: (resource: DiscoveredResource) => (rights.get(keyOf(resource))?.has(verb) ? "live" : "no"),
              })),
            ]}
          />
        </>
      )}
    </section>
  );
}

const keyOf = ({ group, resource }: DiscoveredResource): string => `${group}/${resource}`;

/** "": not known yet, or not a verb of the kind. */
function answerOf(resource: DiscoveredResource, verb: string, rights: Rights): string {
  const allowed = rights.get(keyOf(resource));
  if (allowed === undefined || !resource.verbs.includes(verb)) return "";
  return allowed.has(verb) ? "yes" : "no";
}
