/** The frame around all views: navigation, warnings, dialogs and the keys that work everywhere. */

import { useEffect, useState } from "preact/hooks";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { Connection } from "../server/connection.ts";
import { listable } from "../state/kinds.ts";
import type { Notices } from "../state/notices.ts";
import { objectsOf, parseRoute, type ResourceName, type Route } from "../state/route.ts";
import { Access } from "./access.tsx";
import { Api, ApiKind } from "./api.tsx";
import { Create, readFile } from "./create.tsx";
import { Edit } from "./edit.tsx";
import { Help } from "./help.tsx";
import { Jump } from "./jump.tsx";
import { ErrorNote } from "./notes.tsx";
import { ObjectPage } from "./object.tsx";
import { Objects } from "./objects.tsx";
import { Overview } from "./overview.tsx";
import { isTyping, type Page } from "./page.ts";
import { Testing } from "./testing.tsx";
import { ThemeButton } from "./theme.tsx";

export interface AppOptions {
  readonly connection: Connection;
  readonly discovery: Discovery;
  /** Reads again what the server serves: definitions add kinds. */
  readonly reload: () => Promise<Discovery>;
  readonly notices: Notices;
}

type OpenDialog = "help" | "jump" | undefined;

export function App({ connection, discovery: first, reload, notices }: AppOptions) {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  const [discovery, setDiscovery] = useState(first);
  const [dialog, setDialog] = useState<OpenDialog>(undefined);
  useEffect(() => {
    const onHash = () => setRoute(parseRoute(location.hash));
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      if (event.key === "?") setDialog("help");
      else if (event.key === ":") setDialog("jump");
      else if (places[event.key] !== undefined) location.hash = places[event.key] ?? "";
      else if (event.key === "/") document.getElementById("filter")?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("hashchange", onHash);
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener("hashchange", onHash);
      removeEventListener("keydown", onKey);
    };
  }, []);
  useEffect(() => {
    if (dialog === "jump") reload().then(setDiscovery, () => undefined);
  }, [dialog]);
  const dropped = useDroppedFile(connection, notices);
  const page = { connection, discovery };
  return (
    <>
      <header>
        <Place href="#/overview" isCurrent={route.view === "overview"}>
          Overview
        </Place>
        <Place href="#/access" isCurrent={route.view === "access"}>
          Access
        </Place>
        <Place href="#/api" isCurrent={route.view === "api" || route.view === "kind"}>
          API
        </Place>
        {discovery.find("faultplans") !== undefined && (
          <Place href="#/testing" isCurrent={route.view === "testing"}>
            Testing
          </Place>
        )}
        {!connection.facts.isReadOnly && (
          <Place href="#/create" isCurrent={route.view === "create"}>
            Create
          </Place>
        )}
        <button type="button" onClick={() => setDialog("jump")}>
          Kinds <kbd>:</kbd>
        </button>
        <span class="where" title={connection.facts.server}>
          {connection.facts.context || connection.facts.server}
        </span>
        {connection.facts.isReadOnly && <span class="badge">read-only</span>}
        <ThemeButton />
        <button type="button" aria-label="Keys" onClick={() => setDialog("help")}>
          ?
        </button>
      </header>
      <Kinds discovery={discovery} route={route} />
      <main>
        <Warnings notices={notices} />
        <View page={page} route={route} dropped={dropped} />
      </main>
      {dialog === "help" && <Help onClose={() => setDialog(undefined)} />}
      {dialog === "jump" && <Jump discovery={discovery} onClose={() => setDialog(undefined)} />}
    </>
  );
}

/** A file that is dropped anywhere becomes the text of a new object. */
function useDroppedFile({ facts }: Connection, notices: Notices): DroppedFile | undefined {
  const [dropped, setDropped] = useState<DroppedFile | undefined>(undefined);
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      const [file] = event.dataTransfer?.files ?? [];
      if (file === undefined) return;
      event.preventDefault();
      if (facts.isReadOnly) return notices.add("The console is read-only: files are not applied.");
      readFile(file).then(
        (text) => {
          setDropped((before) => ({ text, number: (before?.number ?? 0) + 1 }));
          location.hash = "#/create";
        },
        (error: unknown) => notices.add(error instanceof Error ? error.message : String(error)),
      );
    };
    addEventListener("dragover", onOver);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onOver);
      removeEventListener("drop", onDrop);
    };
  }, []);
  return dropped;
}

interface DroppedFile {
  readonly text: string;
  /** Another one begins a new text. */
  readonly number: number;
}

/** By key. */
const places: Readonly<Record<string, string>> = {
  o: "#/overview",
  a: "#/access",
  x: "#/api",
  n: "#/create",
};

interface PlaceOptions {
  readonly href: string;
  readonly isCurrent: boolean;
  readonly children: string;
}

const Place = ({ href, isCurrent, children }: PlaceOptions) => (
  <a class="brand" href={href} aria-current={isCurrent ? "page" : undefined}>
    {children}
  </a>
);

interface ViewOptions {
  readonly page: Page;
  readonly route: Route;
  readonly dropped: DroppedFile | undefined;
}

function View({ page, route, dropped }: ViewOptions) {
  if (route.view === "overview") return <Overview page={page} />;
  if (route.view === "access") return <Access page={page} />;
  if (route.view === "api") return <Api page={page} />;
  if (route.view === "testing") return <Testing page={page} />;
  const resource = page.discovery.resources.find((one) => isSame(one, route));
  if (route.view === "create" && page.connection.facts.isReadOnly)
    return <ErrorNote error="The console is read-only." />;
  if (route.view === "create" && (route.resource === "" || resource !== undefined)) {
    const { namespace } = route;
    const given = resource === undefined ? dropped : undefined;
    const options = { page, resource, namespace, dropped: given?.text };
    return <Create key={`${JSON.stringify(route)} ${given?.number}`} {...options} />;
  }
  if (resource === undefined) return <ErrorNote error={`The server does not serve ${route.resource}.`} />;
  const key = `${route.group}/${route.version}/${route.resource}`;
  if (route.view === "kind") return <ApiKind key={key} page={page} resource={resource} />;
  if (route.view === "objects") return <Objects key={key} page={page} resource={resource} route={route} />;
  if (route.view === "create") return null;
  const { namespace, name } = route;
  const options = { page, resource, namespace, name };
  if (route.view === "edit") return <Edit key={`${key}/${namespace}/${name}`} {...options} />;
  return <ObjectPage key={`${key}/${namespace}/${name}`} {...options} />;
}

const isSame = (a: ResourceName, b: ResourceName): boolean =>
  a.resource === b.resource && a.group === b.group && a.version === b.version;

function Kinds({ discovery, route }: { readonly discovery: Discovery; readonly route: Route }) {
  const groups = Map.groupBy(listable(discovery), ({ group }) => group);
  return (
    <nav aria-label="Kinds">
      {[...groups].map(([group, resources]) => (
        <section key={group}>
          <h2>{group || "core"}</h2>
          {resources.map((resource) => (
            <a
              key={resource.resource}
              href={objectsOf(resource)}
              aria-current={"resource" in route && isSame(resource, route) ? "page" : undefined}
            >
              {resource.resource}
            </a>
          ))}
        </section>
      ))}
    </nav>
  );
}

function Warnings({ notices }: { readonly notices: Notices }) {
  const [messages, setMessages] = useState<readonly string[]>([]);
  useEffect(() => notices.listen(setMessages), [notices]);
  if (messages.length === 0) return null;
  return (
    <div class="note warning" role="status">
      {messages.map((message) => (
        <p key={message}>Warning: {message}</p>
      ))}
      <button type="button" onClick={notices.clear}>
        Dismiss
      </button>
    </div>
  );
}
