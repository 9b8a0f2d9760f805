/** The page of one object: its name and state, what can be done to it, and a tab for each thing that people ask about it. */

import { useEffect, useState } from "preact/hooks";
import { objectHealth } from "../../operations/object-health.ts";
import { idOf } from "../state/acts.ts";
import { pluralOf } from "../state/nav.ts";
import { editOf, formatRoute, isSame, type ObjectPart, objectsOf } from "../state/route.ts";
import { ActButtons } from "./act-buttons.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Gone } from "./create-again.tsx";
import { DeleteQuestion } from "./delete-question.tsx";
import { ErrorNote, Waiting } from "./notes.tsx";
import { earlyTabs, ObjectTab, tabsOf } from "./object/tab.tsx";
import { type ObjectOptions, type ObjectRights, useObject, useObjectRights } from "./object/use-object.ts";
import { isDeleteKey, isTyping } from "./page.ts";
import { Status } from "./status.tsx";
import { type Tab, Tabs } from "./tabs.tsx";

interface ObjectPageOptions extends ObjectOptions {
  /** The tab. */
  readonly part: ObjectPart;
}

export function ObjectPage({ part, ...options }: ObjectPageOptions) {
  const { page, resource, namespace, name } = options;
  const { object, isGone, error } = useObject(options);
  const known = useObjectRights(options);
  const rights = known ?? noRights;
  const [isAsking, setAsking] = useState(false);
  const ref = { namespace, name };
  const edit = editOf(resource, ref);
  const { list } = page;
  const back = list !== undefined && isSame(list, resource) ? formatRoute(list) : objectsOf(resource, { namespace });
  const tabs = object === undefined ? [] : tabsOf({ page, resource, object, rights });
  useObjectKeys(
    {
      name,
      back,
      // A key may be pressed before the server has answered: the page that it leads to says what is not allowed.
      edit: known === undefined || rights.update ? edit : undefined,
      tabs: keyedTabs(object === undefined || known === undefined ? earlyTabs(resource, ref) : tabs),
      onDelete: () => setAsking(true),
    },
    [known, object],
  );
  const health = object === undefined ? undefined : objectHealth(idOf(resource), object);
  return (
    <article class="object">
      <nav class="path" aria-label="Where this is">
        <a href={back}>{pluralOf(resource)}</a>
        {namespace !== "" && (
          <>
            <span aria-hidden="true">/</span>
            <a href={objectsOf(resource, { namespace })}>
              <bdi>{namespace}</bdi>
            </a>
          </>
        )}
      </nav>
      <div class="tools">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        {health !== undefined && !isGone && <Status {...health} />}
        <span class="space" />
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
      {health !== undefined && health.state !== "healthy" && health.why !== "" && !isGone && (
        <p class={`reason is-${health.state}`}>
          <bdi>{health.why}</bdi>
        </p>
      )}
      {error !== undefined && <ErrorNote error={error} />}
      {isGone && <Gone key={page.connection.at} page={page} resource={resource} target={ref} seen={object} />}
      {object === undefined && !isGone && error === undefined && <Waiting what={name} />}
      {object !== undefined && (
        <>
          <Tabs label="Parts of the object" tabs={tabs} current={part} />
          <ObjectTab
            key={page.connection.at}
            part={part}
            page={page}
            resource={resource}
            object={object}
            rights={rights}
            isGone={isGone}
          />
        </>
      )}
      {isAsking && object !== undefined && rights.delete && (
        <DeleteQuestion page={page} resource={resource} object={object} onClose={() => setAsking(false)} />
      )}
    </article>
  );
}

const noRights: ObjectRights = { update: false, delete: false, logs: false, exec: false };

const keyedTabs = (tabs: readonly Tab<ObjectPart>[]): ReadonlyMap<string, string> =>
  new Map(tabs.flatMap(({ key, href }) => (key === undefined ? [] : [[key, href]])));

interface ObjectKeys {
  readonly name: string;
  readonly back: string;
  /** Undefined: the user may not. */
  readonly edit: string | undefined;
  readonly tabs: ReadonlyMap<string, string>;
  readonly onDelete: () => void;
}

function useObjectKeys(
  { name, back, edit, tabs, onDelete }: ObjectKeys,
  known: readonly [ObjectRights | undefined, unknown],
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const tab = tabs.get(event.key);
      if (isDeleteKey(event)) onDelete();
      else if (isTyping(event)) return;
      else if (event.key === "e" && edit !== undefined) location.hash = edit;
      else if (tab !== undefined) location.hash = tab;
      else if (event.key === "c") void navigator.clipboard.writeText(name).catch(() => undefined);
      else if (event.key === "Escape") location.hash = back;
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [...known, back]);
}
