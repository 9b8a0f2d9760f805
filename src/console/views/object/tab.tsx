/** The tabs of an object: which it has, and what each shows. */

import type { DiscoveredResource } from "../../../client/contract.ts";
import { findNeutral } from "../../server/cluster.ts";
import { changesOf } from "../../server/history.ts";
import { type Json, text } from "../../server/json.ts";
import { idOf, mayOwnPods, podSelectorOf } from "../../state/acts.ts";
import { type ObjectPart, type ObjectRef, objectOf } from "../../state/route.ts";
import { Events } from "../events.tsx";
import { Logs } from "../logs.tsx";
import type { Page } from "../page.ts";
import { Relations } from "../relations.tsx";
import type { Tab } from "../tabs.tsx";
import { YamlView } from "../yaml-view.tsx";
import { AccessTab } from "./access-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { MetricsTab } from "./metrics-tab.tsx";
import { ShellTab } from "./shell-tab.tsx";
import { SummaryTab } from "./summary-tab.tsx";
import type { ObjectRights } from "./use-object.ts";
import { WritesTab } from "./writes-tab.tsx";

interface TabOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
  readonly rights: ObjectRights;
}

/** Those that the kind has, in the order in which they are shown. */
export function tabsOf({ page, resource, object, rights }: TabOptions): readonly Tab<ObjectPart>[] {
  const ref = { name: text(object, "metadata", "name"), namespace: text(object, "metadata", "namespace") };
  const hasLogs = rights.logs || (idOf(resource) !== "services" && podSelectorOf(resource, object) !== undefined);
  // These are not kept.
  const isPast = page.connection.at !== "";
  const isMeasured = idOf(resource) === "pods" && findNeutral(page.discovery, "pods.metrics.orch.io") !== undefined;
  const all: readonly (readonly [id: ObjectPart, name: string, isThere: boolean, key?: string])[] = [
    ["", "Summary", true],
    ["yaml", "YAML", true, "y"],
    ["events", "Events", !isPast],
    ["logs", "Logs", hasLogs && !isPast, "l"],
    ["shell", "Shell", rights.exec && !isPast, "h"],
    ["relations", "Relations", true],
    ["access", "Access", true],
    ["requests", "Writes", true],
    ["history", "History", changesOf(page.discovery) !== undefined && !isPast],
    ["metrics", "Metrics", isMeasured && !isPast],
  ];
  return all.flatMap(([id, name, isThere, key]) =>
    isThere ? [{ id, name, key, href: objectOf(resource, ref, id) }] : [],
  );
}

/** Those that have keys and are there, or may be, before the object is read. */
export function earlyTabs(resource: DiscoveredResource, ref: ObjectRef): readonly Tab<ObjectPart>[] {
  const yaml = { id: "yaml", name: "YAML", key: "y", href: objectOf(resource, ref, "yaml") } as const;
  const logs = { id: "logs", name: "Logs", key: "l", href: objectOf(resource, ref, "logs") } as const;
  const shell = { id: "shell", name: "Shell", key: "h", href: objectOf(resource, ref, "shell") } as const;
  const mayHaveLogs = resource.subresources.includes("log") || mayOwnPods(resource);
  return [yaml, ...(mayHaveLogs ? [logs] : []), ...(resource.subresources.includes("exec") ? [shell] : [])];
}

interface ObjectTabOptions extends TabOptions {
  readonly part: ObjectPart;
  readonly isGone: boolean;
}

export function ObjectTab({ part, page, resource, object, rights, isGone }: ObjectTabOptions) {
  const options = { page, resource, object };
  if (part === "yaml")
    return isGone ? null : (
      <YamlView
        page={page}
        resource={resource}
        target={{ name: text(object, "metadata", "name"), namespace: text(object, "metadata", "namespace") }}
        object={object}
      />
    );
  if (part === "events") return <Events page={page} object={object} />;
  if (part === "logs") return <Logs {...options} mayReadLogs={rights.logs} />;
  const { streams } = page.connection;
  if (part === "shell" && streams !== undefined) return <ShellTab streams={streams} pod={object} />;
  if (part === "shell") return <p class="note">This console opens no shells.</p>;
  if (part === "relations") return <Relations {...options} />;
  if (part === "access") return <AccessTab {...options} />;
  if (part === "requests") return <WritesTab {...options} />;
  if (part === "history") return <HistoryTab {...options} mayUpdate={rights.update && !isGone} />;
  if (part === "metrics") return <MetricsTab {...options} />;
  return <SummaryTab {...options} />;
}
