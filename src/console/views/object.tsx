/** One object: what it is, how it is, what happened to it, what belongs to it, and its YAML. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { follow } from "../server/follow.ts";
import { type Json, parts, text } from "../server/json.ts";
import { deleteObject, may } from "../server/objects.ts";
import { formatRoute, objectsOf } from "../state/route.ts";
import { Conditions } from "./conditions.tsx";
import { Containers } from "./containers.tsx";
import { Dialog } from "./dialog.tsx";
import { Events } from "./events.tsx";
import { Logs } from "./logs.tsx";
import { ErrorNote, Waiting } from "./notes.tsx";
import { isTyping, type Page } from "./page.ts";
import { Relations } from "./relations.tsx";
import { Summary } from "./summary.tsx";
import { YamlView } from "./yaml-view.tsx";

export interface ObjectOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
}

interface Shown {
  readonly object: Json | undefined;
  readonly isGone: boolean;
  readonly error: Error | undefined;
}

export function ObjectPage({ page, resource, namespace, name }: ObjectOptions) {
  const [{ object, isGone, error }, setShown] = useState<Shown>({ object: undefined, isGone: false, error: undefined });
  const [rights, setRights] = useState({ update: false, delete: false, logs: false });
  const isPod = resource.resource === "pods" && resource.group === "";
  const [isAsking, setAsking] = useState(false);
  const ref = { namespace, name };
  useEffect(() => {
    const ended = new AbortController();
    const query = { fieldSelector: `metadata.name=${name}` };
    const show = (change: Partial<Shown>) => setShown((before) => ({ ...before, error: undefined, ...change }));
    const followed = { resource, namespace, query, accept: "application/json", signal: ended.signal };
    void follow(page.connection, followed, {
      listed: (list) => {
        const item = parts(list, "items")[0];
        // Items of a list need not say what they are.
        if (item === undefined) show({ isGone: true });
        else show({ object: item, isGone: false });
      },
      complete: () => undefined,
      changed: (type, changed) => show({ object: changed, isGone: type === "DELETED" }),
      failed: (failure) => show({ error: failure }),
    });
    const access = { ...page, resource, ref };
    const mayReadLogs = isPod ? may("get", { ...access, subresource: "log" }) : false;
    Promise.all([may("update", access), may("delete", access), mayReadLogs]).then(
      ([update, mayDelete, logs]) => setRights({ update, delete: mayDelete, logs }),
      () => undefined,
    );
    return () => ended.abort();
  }, []);
  const { group, version, resource: plural } = resource;
  const edit = formatRoute({ view: "edit", group, version, resource: plural, namespace, name });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      if (event.key === "e" && rights.update) location.hash = edit;
      else if (event.key === "Delete" && rights.delete && object !== undefined) setAsking(true);
      else if (event.key === "Escape") location.hash = objectsOf(resource, namespace);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [rights, object]);
  return (
    <article>
      <p class="path">
        <a href={objectsOf(resource, namespace)}>{resource.kind}</a>
        {namespace !== "" && <> in {namespace}</>}
      </p>
      <div class="tools">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        {rights.update && !isGone && (
          <a class="button" href={edit}>
            Edit <kbd>e</kbd>
          </a>
        )}
        {rights.delete && !isGone && (
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            Delete …
          </button>
        )}
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {isGone && <p class="note warning">{object === undefined ? "The object does not exist." : "It was deleted."}</p>}
      {object === undefined && !isGone && error === undefined && <Waiting what={name} />}
      {object !== undefined && (
        <>
          <Summary object={object} />
          <Conditions object={object} />
          {isPod && <Containers pod={object} />}
          {isPod && rights.logs && <Logs page={page} resource={resource} object={object} />}
          <Relations page={page} resource={resource} object={object} />
          <Events page={page} object={object} />
          {!isGone && <YamlView page={page} resource={resource} target={ref} object={object} />}
        </>
      )}
      {isAsking && object !== undefined && (
        <DeleteQuestion page={page} resource={resource} object={object} onClose={() => setAsking(false)} />
      )}
    </article>
  );
}

interface DeleteOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
  readonly onClose: () => void;
}

function DeleteQuestion({ page, resource, object, onClose }: DeleteOptions) {
  const [error, setError] = useState<unknown>(undefined);
  const [name = "", namespace = "", uid = ""] = ["name", "namespace", "uid"].map((key) =>
    text(object, "metadata", key),
  );
  const confirm = () => deleteObject(page.connection, resource, { name, namespace, uid }).then(onClose, setError);
  return (
    <Dialog title={`Delete ${resource.kind}`} onClose={onClose}>
      <p>
        Delete{" "}
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {namespace !== "" && <> in {namespace}</>}? Objects that it owns are deleted with it.
      </p>
      {error !== undefined && <ErrorNote error={error} />}
      <div class="tools">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={confirm}>
          Delete {name}
        </button>
      </div>
    </Dialog>
  );
}
