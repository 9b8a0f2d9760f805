/** Who may do what to an object: oneself, and, where the server tells, everybody. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../../client/contract.ts";
import { ask, holdersOf, type Question } from "../../server/access.ts";
import { type Json, parts, text } from "../../server/json.ts";
import { Paths } from "../access-paths.tsx";
import { ListTable } from "../list-table.tsx";
import { ErrorNote, Waiting } from "../notes.tsx";
import type { Page } from "../page.ts";
import { StateIcon } from "../status.tsx";

interface AccessTabOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

const objectVerbs = ["get", "update", "patch", "delete"];

interface Right {
  readonly verb: string;
  readonly subresource: string;
  readonly isAllowed: boolean;
  readonly reason: string;
}

export function AccessTab({ page, resource, object }: AccessTabOptions) {
  const [rights, setRights] = useState<readonly Right[]>([]);
  const [error, setError] = useState<unknown>(undefined);
  const [verb, setVerb] = useState("get");
  const [name, namespace] = [text(object, "metadata", "name"), text(object, "metadata", "namespace")];
  const question = (one: string, subresource = ""): Question => {
    const { group, resource: plural } = resource;
    return { user: "", groups: [], verb: one, group, resource: plural, subresource, namespace, name };
  };
  useEffect(() => {
    const ended = new AbortController();
    const read = async () => {
      const asked = [
        ...objectVerbs.filter((one) => resource.verbs.includes(one)).map((one) => [one, ""] as const),
        ...resource.subresources
          .filter((one) => one !== "status")
          .map((one) => [one === "log" ? "get" : "create", one] as const),
      ];
      for (const [one, subresource] of asked) {
        const answer = await ask({ ...page, signal: ended.signal }, question(one, subresource));
        if (ended.signal.aborted) return;
        setRights((before) => [...before, { verb: one, subresource, ...answer }]);
      }
    };
    setRights([]);
    read().catch((failure: unknown) => ended.signal.aborted || setError(failure));
    return () => ended.abort();
  }, []);
  return (
    <>
      <section>
        <h2>Your permissions</h2>
        {error !== undefined && <ErrorNote error={error} />}
        <ListTable
          label="Your permissions"
          items={rights}
          keyOf={({ verb: one, subresource }) => `${one} ${subresource}`}
          columns={[
            {
              name: "Verb",
              cell: ({ verb: one, subresource }) => (subresource === "" ? one : `${one} ${subresource}`),
            },
            {
              name: "Allowed",
              cell: ({ isAllowed }) => (
                <>
                  <StateIcon state={isAllowed ? "healthy" : "failing"} /> {isAllowed ? "yes" : "no"}
                </>
              ),
            },
            { name: "Why", cell: ({ reason }) => <bdi>{reason}</bdi> },
          ]}
        />
      </section>
      <section>
        <h2>Who can</h2>
        <label>
          Verb{" "}
          <select value={verb} onChange={(event) => setVerb(event.currentTarget.value)}>
            {objectVerbs.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <Holders key={verb} page={page} question={question(verb)} />
      </section>
    </>
  );
}

function Holders({ page, question }: { readonly page: Page; readonly question: Question }) {
  const [found, setFound] = useState<Json | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    holdersOf(page, question).then(setFound, setError);
  }, []);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (page.discovery.find("accessholders") === undefined)
    return (
      <p class="note">
        This server does not tell who can. Ask for one user under <a href="#/access">Access</a>.
      </p>
    );
  if (found === undefined) return <Waiting what="who can" />;
  return (
    <>
      <Paths title="Allowed by roles" paths={parts(found, "holders")} isEmptyShown />
      {found["incomplete"] === true && <p>There are more than these.</p>}
    </>
  );
}
