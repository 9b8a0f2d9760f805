/** Says that an object is gone, and creates it again as it was last. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { apiVersionOf } from "../../client/requests/address.ts";
import { createdAgain, revisionBefore } from "../../operations/past.ts";
import type { Connection } from "../server/connection.ts";
import { aboutObject, changesOf, readChanges, readRevision } from "../server/history.ts";
import { type Json, text } from "../server/json.ts";
import { applyYaml, may } from "../server/objects.ts";
import { withoutManagedFields } from "../state/yaml-text.ts";
import { ErrorNote, Waiting } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Question } from "./question.tsx";
import { Time } from "./time.tsx";
import { isSecret } from "./yaml-view.tsx";

interface GoneOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly target: { readonly name: string; readonly namespace: string };
  /** As it was last seen; undefined: it was never seen here. */
  readonly seen: Json | undefined;
}

export function Gone({ page, resource, target, seen }: GoneOptions) {
  const { change, last } = useLastState({ page, resource, target, seen });
  const [isAsking, setAsking] = useState(false);
  const [mayCreate, setMayCreate] = useState(false);
  useEffect(() => {
    may("create", { ...page, resource, ref: target }).then(setMayCreate, () => undefined);
  }, []);
  const isPast = page.connection.at !== "";
  if (isPast) return <p class="note warning">It was not there at that moment.</p>;
  return (
    <div class="note warning">
      <p>
        {last === undefined ? "The object does not exist." : "It was deleted"}
        {change !== undefined && (
          <>
            {" "}
            <Time value={text(change, "metadata", "creationTimestamp")} /> by <bdi>{text(change, "user")}</bdi>
          </>
        )}
        {last !== undefined && "."}
      </p>
      {last !== undefined && mayCreate && resource.verbs.includes("create") && (
        <button type="button" onClick={() => setAsking(true)}>
          Create it again …
        </button>
      )}
      {isAsking && last !== undefined && (
        <CreateAgain
          connection={page.connection}
          resource={resource}
          objects={[last]}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

interface LastState {
  /** Its deletion, where the server keeps a history. */
  readonly change: Json | undefined;
  readonly last: Json | undefined;
}

function useLastState({ page, resource, target, seen }: GoneOptions): LastState {
  const [kept, setKept] = useState<LastState>({ change: undefined, last: undefined });
  useEffect(() => {
    const changes = changesOf(page.discovery);
    if (changes === undefined || page.connection.at !== "") return;
    const ended = new AbortController();
    const read = async () => {
      const requirements = [...aboutObject(resource, target.name), "operation=delete"];
      const asked = { connection: page.connection, changes, signal: ended.signal };
      const { namespace } = target;
      const [change] = (await readChanges(asked, { namespace, requirements, limit: 1, token: "" })).changes;
      if (change === undefined) return;
      const before = revisionBefore(text(change, "metadata", "name"));
      const last = await readRevision(page.connection, resource, target, before);
      if (!ended.signal.aborted) setKept({ change, last });
    };
    read().catch(() => undefined);
    return () => ended.abort();
  }, []);
  return { change: kept.change, last: kept.last ?? seen };
}

interface CreateAgainOptions {
  readonly connection: Connection;
  readonly resource: DiscoveredResource;
  /** As they were last. */
  readonly objects: readonly Json[];
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

/** The server tries all of them before one is created. */
export function CreateAgain({ connection, resource, objects, onDone, onClose }: CreateAgainOptions) {
  const [tried, setTried] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [first] = objects;
  const title = objects.length === 1 ? text(first, "metadata", "name") : `${objects.length} ${resource.resource}`;
  const create = async (isDryRun: boolean): Promise<string> => {
    const made: string[] = [];
    for (const last of objects) {
      // Items of a list need not say what they are.
      const again = createdAgain({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...last });
      const namespace = text(last, "metadata", "namespace");
      // Without its name here it is created, never applied over another one.
      const object = { resource, name: "", namespace, content: JSON.stringify(again) };
      made.push(withoutManagedFields(await applyYaml(connection, object, { isDryRun, isForced: false })));
    }
    return made.join("---\n");
  };
  useEffect(() => {
    create(true).then(setTried, setError);
  }, []);
  return (
    <Question
      title={`Create ${title} again`}
      act={`Create ${title}`}
      isDisabled={tried === undefined}
      onConfirm={() => create(false).then(onDone)}
      onClose={onClose}
    >
      <p>As it was last, with a new uid and without owners. The server has tried it.</p>
      {error !== undefined && <ErrorNote error={error} />}
      {tried === undefined && error === undefined && <Waiting what={title} />}
      {tried !== undefined &&
        (isSecret(resource) ? (
          <p class="note">The values of a secret are not shown.</p>
        ) : (
          <pre class="diff">{tried}</pre>
        ))}
    </Question>
  );
}
