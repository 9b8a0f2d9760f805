/** The frame around all views: navigation, warnings, dialogs and the keys that work everywhere. */

import { useEffect, useState } from "preact/hooks";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { Connection } from "../server/connection.ts";
import type { Notices } from "../state/notices.ts";
import { type ObjectsRoute, parseRoute } from "../state/route.ts";
import { useDroppedFile } from "./dropped-file.ts";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import { Jump } from "./jump.tsx";
import { KindsNav } from "./kinds-nav.tsx";
import { ErrorNote, Waiting } from "./notes.tsx";
import { Overview } from "./overview.tsx";
import { isTyping } from "./page.ts";
import { View } from "./view.tsx";
import { Warnings } from "./warnings.tsx";

export interface AppOptions {
  readonly connection: Connection;
  /** What the server serves takes several requests: the frame and the overview do not wait for it. */
  readonly discovering: Promise<Discovery>;
  /** Reads again what the server serves: definitions add kinds. */
  readonly reload: () => Promise<Discovery>;
  readonly notices: Notices;
}

type OpenDialog = "help" | "jump" | undefined;

export function App({ connection, discovering, reload, notices }: AppOptions) {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  const [discovery, setDiscovery] = useState<Discovery | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [dialog, setDialog] = useState<OpenDialog>(undefined);
  const [left, setLeft] = useState<ObjectsRoute | undefined>(undefined);
  useEffect(() => void discovering.then(setDiscovery, setError), []);
  useEffect(() => {
    const onHash = ({ oldURL }: HashChangeEvent) => {
      const before = parseRoute(new URL(oldURL).hash);
      if (before.view === "objects") setLeft(before);
      setRoute(parseRoute(location.hash));
    };
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
  const reloadShown = async () => {
    const found = await reload();
    setDiscovery(found);
    return found;
  };
  useEffect(() => {
    if (dialog === "jump") reloadShown().catch(() => undefined);
  }, [dialog]);
  // A dialog that was closed says so a moment later; by then a key may have opened the other one.
  const close = (closed: OpenDialog) => setDialog((open) => (open === closed ? undefined : open));
  const dropped = useDroppedFile(connection, notices);
  const list = route.view === "objects" ? route : left;
  const page = discovery && { connection, discovery, reload: reloadShown, list };
  return (
    <>
      <Header
        connection={connection}
        discovery={discovery}
        route={route}
        onJump={() => setDialog("jump")}
        onHelp={() => setDialog("help")}
      />
      <KindsNav discovery={discovery} route={route} namespace={list?.namespace ?? ""} />
      <main>
        <Warnings notices={notices} />
        {error !== undefined && <ErrorNote error={error} />}
        {route.view === "overview" && <Overview connection={connection} page={page} />}
        {route.view !== "overview" && page !== undefined && <View page={page} route={route} dropped={dropped} />}
        {route.view !== "overview" && page === undefined && error === undefined && <Waiting what="the kinds" />}
      </main>
      {dialog === "help" && <Help onClose={() => close("help")} />}
      {dialog === "jump" && (
        <Jump discovery={discovery} namespace={list?.namespace ?? ""} onClose={() => close("jump")} />
      )}
    </>
  );
}

/** By key. */
const places: Readonly<Record<string, string>> = {
  o: "#/overview",
  a: "#/access",
  x: "#/api",
  n: "#/create",
  r: "#/requests",
  t: "#/testing",
};
