/** One object: what it is, how it is, what happened to it, what belongs to it, and its YAML. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { follow } from "../server/follow.ts";
import { type Json, parts } from "../server/json.ts";
import { may } from "../server/objects.ts";
import { editOf, formatRoute, type ObjectPart, objectsOf } from "../state/route.ts";
import { ActButtons } from "./act-buttons.tsx";
import { Conditions } from "./conditions.tsx";
import { Containers } from "./containers.tsx";
import { CopyButton } from "./copy-button.tsx";
import { DeleteQuestion } from "./delete-question.tsx";
import { Events } from "./events.tsx";
import { Logs } from "./logs.tsx";
import { ErrorNote, Waiting } from "./notes.tsx";
import { isDeleteKey, isTyping, type Page } from "./page.ts";
import { Relations } from "./relations.tsx";
import { Summary } from "./summary.tsx";
import { isSame } from "./view.tsx";
import { YamlView } from "./yaml-view.tsx";

export interface ObjectOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectPageOptions extends ObjectOptions {
  /** Where the page begins. */
  readonly part: ObjectPart;
}

interface Shown {
  readonly object: Json | undefined;
  readonly isGone: boolean;
  readonly error: Error | undefined;
}

export function ObjectPage({ page, resource, namespace, name, part }: ObjectPageOptions) {
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
  const edit = editOf(resource, ref);
  const { list } = page;
  const back = list !== undefined && isSame(list, resource) ? formatRoute(list) : objectsOf(resource, { namespace });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isDeleteKey(event)) setAsking(rights.delete && object !== undefined);
      else if (isTyping(event)) return;
      else if (event.key === "e" && rights.update) location.hash = edit;
      else if (event.key === "y") document.getElementById("yaml")?.scrollIntoView();
      else if (event.key === "c") void navigator.clipboard.writeText(name).catch(() => undefined);
      else if (event.key === "Escape") location.hash = back;
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [rights, object]);
  return (
    <article>
      <p class="path">
        <a href={back}>{resource.kind}</a>
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
        {object !== undefined && !isGone && <ActButtons page={page} resource={resource} object={object} />}
        <CopyButton text={name} label="Copy name" />
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
          <Summary resource={resource} object={object} />
          <Conditions object={object} />
          {isPod && <Containers pod={object} />}
          {isPod && rights.logs && <Logs page={page} resource={resource} object={object} areOpen={part === "logs"} />}
          <Relations page={page} resource={resource} object={object} />
          <Events page={page} object={object} />
          {!isGone && (
            <YamlView page={page} resource={resource} target={ref} object={object} isFirst={part === "yaml"} />
          )}
        </>
      )}
      {isAsking && object !== undefined && (
        <DeleteQuestion page={page} resource={resource} object={object} onClose={() => setAsking(false)} />
      )}
    </article>
  );
}
