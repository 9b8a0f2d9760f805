/** Keeps a node graph equal to the pods, volumes, attachments and nodes that the registry knows. */

import { Node } from "../api/core/v1/node.ts";
import { PersistentVolume } from "../api/core/v1/persistent-volume.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { ResourceSlice } from "../api/resource/v1/resource-slice.ts";
import { VolumeAttachment } from "../api/storage/v1/volume-attachment.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { Kind } from "../machinery/schema/kind.ts";
import type { Entry } from "../registry/contract/entry.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { NodeGraph } from "./node-graph.ts";
import { attachmentNode, nodeConfiguration, podReferences, volumeReferences } from "./node-references.ts";

interface NodeSourceOptions {
  readonly registry: Pick<Registry, "observe" | "peekAll">;
  readonly catalog: Catalog;
}

interface NodeSource {
  readonly graph: NodeGraph;
  close(): void;
}

/** The graph holds everything the registry knows when this returns, and every change from then on. */
export function openNodeSource({ registry, catalog }: NodeSourceOptions): NodeSource {
  const mirror = catalog.environment.vocabulary.word("orch.io/config.mirror");
  const graph = new NodeGraph();
  const stops: (() => void)[] = [];
  const follow = (kind: Kind, change: (entry: Entry, deleted: boolean) => void) => {
    const bound = catalog.of(kind);
    stops.push(registry.observe(bound, ({ entry, deleted }) => change(entry, deleted)));
    for (const entry of registry.peekAll(bound)) change(entry, false);
  };
  follow(Pod, (entry, deleted) => {
    const { namespace, name } = entry;
    const node = entry.fields.get("spec.nodeName") ?? "";
    if (deleted || node === "") return graph.deletePod(namespace, name);
    const known = graph.pod(namespace, name);
    const bytes = known?.node === node ? entry.bytes : undefined;
    const isKnown = known !== undefined && bytes?.includes(`"uid":"${known.uid}"`);
    if (isKnown && !known.hasMadeClaims && !bytes?.includes('"resourceClaimStatuses":')) return;
    graph.setPod(namespace, name, podReferences(parse(entry), mirror));
  });
  follow(PersistentVolume, (entry, deleted) => {
    if (deleted) return graph.deleteVolume(entry.name);
    const { claim, secrets } = volumeReferences(parse(entry));
    graph.setVolume(entry.name, claim, secrets);
  });
  follow(VolumeAttachment, (entry, deleted) => {
    if (deleted) graph.deleteAttachment(entry.name);
    else graph.setAttachment(entry.name, attachmentNode(parse(entry)));
  });
  if (catalog.environment.has("slicesOfNodes"))
    follow(ResourceSlice, (entry, deleted) => {
      if (deleted) graph.deleteSlice(entry.name);
      else graph.setSlice(entry.name, entry.fields.get("spec.nodeName") ?? "");
    });
  follow(Node, (entry, deleted) => {
    graph.setConfiguration(entry.name, deleted ? undefined : nodeConfiguration(parse(entry)));
  });
  return {
    graph,
    close() {
      for (const stop of stops) stop();
    },
  };
}

/** Not `entry.object()`: that would keep the parsed form of every pod in memory for a few names. */
function parse(entry: Entry): Record<string, unknown> {
  return JSON.parse(entry.bytes.toString("utf8")) as Record<string, unknown>; // a stored object is a JSON object
}
