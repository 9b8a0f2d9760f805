/** Who changed which fields of an object, when and why, with the way back. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../../client/contract.ts";
import { aboutObject, changesOf, readChanges } from "../../server/history.ts";
import { type Json, parts, text } from "../../server/json.ts";
import { afterChange, withMoment } from "../../state/moment.ts";
import { objectOf } from "../../state/route.ts";
import { ListTable } from "../list-table.tsx";
import { ErrorNote, Waiting } from "../notes.tsx";
import type { Page } from "../page.ts";
import { Time } from "../time.tsx";
import { isSecret } from "../yaml-view.tsx";
import { type Asking, ChangeQuestion } from "./change-question.tsx";
import { Lanes } from "./lanes.tsx";

interface HistoryTabOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
  readonly mayUpdate: boolean;
}

const chunk = 50;
/** More fields of a change are counted, and longer values cut. */
const [fieldsMax, valueCharsMax] = [8, 120];

export function HistoryTab({ page, resource, object, mayUpdate }: HistoryTabOptions) {
  const [changes, setChanges] = useState<readonly Json[] | undefined>(undefined);
  const [token, setToken] = useState("");
  const [error, setError] = useState<unknown>(undefined);
  const [hasStatus, setHasStatus] = useState(false);
  const [asking, setAsking] = useState<Asking | undefined>(undefined);
  const [name, namespace] = [text(object, "metadata", "name"), text(object, "metadata", "namespace")];
  const kind = changesOf(page.discovery);
  const read = async (from: string, signal: AbortSignal) => {
    if (kind === undefined) return;
    const asked = { connection: page.connection, changes: kind, signal };
    const query = { namespace, requirements: aboutObject(resource, name), limit: chunk, token: from };
    const found = await readChanges(asked, query);
    if (signal.aborted) return;
    setChanges((before) => (from === "" ? found.changes : [...(before ?? []), ...found.changes]));
    setToken(found.token);
  };
  useEffect(() => {
    const ended = new AbortController();
    read("", ended.signal).catch((failure: unknown) => ended.signal.aborted || setError(failure));
    return () => ended.abort();
  }, [text(object, "metadata", "resourceVersion")]);
  const shown = (changes ?? []).filter((change) => hasStatus || text(change, "subresource") !== "status");
  const ref = { name, namespace };
  const ask = (change: Json, act: Asking["act"]) => () => setAsking({ change, act });
  return (
    <>
      {kind !== undefined && <Lanes page={page} changes={kind} object={object} kind={resource.kind} />}
      <section>
        <div class="tools">
          <h2>Changes</h2>
          <label>
            <input
              type="checkbox"
              checked={hasStatus}
              onChange={(event) => setHasStatus(event.currentTarget.checked)}
            />{" "}
            Show status changes
          </label>
        </div>
        {error !== undefined && <ErrorNote error={error} />}
        {changes === undefined && error === undefined && <Waiting what="the changes" />}
        {changes !== undefined && shown.length === 0 && (
          <p class="note">No change{hasStatus ? "" : " by a person or of its specification"} is kept.</p>
        )}
        {shown.length > 0 && (
          <ListTable
            stacks
            label="Changes, the newest first"
            items={shown}
            keyOf={(change) => text(change, "metadata", "name")}
            columns={[
              {
                name: "When",
                cell: (change) => <Time value={text(change, "metadata", "creationTimestamp")} />,
              },
              { name: "Who", cell: (change) => <Who change={change} /> },
              { name: "What", cell: (change) => <What change={change} isHidden={isSecret(resource)} /> },
              {
                name: "Actions",
                cell: (change) => (
                  <span class="acts">
                    <a
                      class="button"
                      href={withMoment(
                        objectOf(resource, ref),
                        afterChange(text(change, "metadata", "creationTimestamp")),
                      )}
                    >
                      View
                    </a>
                    {mayUpdate && text(change, "operation") === "update" && (
                      <button type="button" onClick={ask(change, "undo")}>
                        Undo …
                      </button>
                    )}
                    {mayUpdate && text(change, "operation") !== "delete" && change !== changes?.[0] && (
                      <button type="button" onClick={ask(change, "restore")}>
                        Restore …
                      </button>
                    )}
                  </span>
                ),
              },
            ]}
          />
        )}
        {token !== "" && (
          <button type="button" onClick={() => void read(token, new AbortController().signal).catch(setError)}>
            Show older ones
          </button>
        )}
      </section>
      {asking !== undefined && (
        <ChangeQuestion
          page={page}
          resource={resource}
          target={ref}
          asking={asking}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}

function Who({ change }: { readonly change: Json }) {
  const [user, as] = [text(change, "user"), text(change, "impersonatedBy")];
  const [manager, cause] = [text(change, "manager"), text(change, "cause")];
  return (
    <>
      <bdi>{user}</bdi>
      {as !== "" && (
        <>
          {" "}
          by <bdi>{as}</bdi>
        </>
      )}
      {manager !== "" && <bdi class="below">{manager}</bdi>}
      {cause !== "" && <bdi class="below">because of {cause}</bdi>}
    </>
  );
}

/** What each write counts on. */
const counted: ReadonlySet<string> = new Set(["metadata.generation", "metadata.resourceVersion"]);

function What({ change, isHidden }: { readonly change: Json; readonly isHidden: boolean }) {
  const [verb, subresource, operation] = ["verb", "subresource", "operation"].map((key) => text(change, key));
  const fields = parts(change, "fields").filter((field) => !counted.has(text(field, "path")));
  if (operation !== "update") return <strong>{operation === "create" ? "created" : "deleted"}</strong>;
  return (
    <>
      <small>
        {verb}
        {subresource !== "" && ` of ${subresource}`}
      </small>
      <dl class="changed-fields">
        {fields.slice(0, fieldsMax).map((field) => (
          <>
            <dt>
              <bdi>{text(field, "path")}</bdi>
            </dt>
            <dd>
              {isHidden ? (
                <span class="quiet">hidden</span>
              ) : (
                <>
                  {text(field, "old") !== "" && <del>{cut(text(field, "old"))}</del>}{" "}
                  {text(field, "new") === "" ? <small>removed</small> : <ins>{cut(text(field, "new"))}</ins>}
                </>
              )}
            </dd>
          </>
        ))}
      </dl>
      {fields.length > fieldsMax && <small>and {fields.length - fieldsMax} more fields</small>}
      {fields.length === 0 && <small>nothing but its version</small>}
    </>
  );
}

const cut = (value: string): string => (value.length > valueCharsMax ? `${value.slice(0, valueCharsMax)}…` : value);
