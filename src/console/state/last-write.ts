/** The last change that was made on this page, so that it can be taken back. It lives as long as the page. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Json } from "../server/json.ts";
import { documentsIn } from "./documents.ts";
import { yamlLines } from "./yaml-lines.ts";
import { findNode, withoutNode, yamlTree } from "./yaml-tree.ts";

export interface LastWrite {
  /** "Saved", "Scaled". */
  readonly what: string;
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
  /** The YAML from before. */
  readonly before: string;
  /** What was deleted, as it was last: it is created again. */
  readonly deleted?: readonly Json[];
}

export interface LastWrites {
  made(write: LastWrite): void;
  clear(): void;
  /** Calls back with the last one whenever it changes, until the returned function is called. */
  listen(listener: (write: LastWrite | undefined) => void): () => void;
}

export function createLastWrites(): LastWrites {
  let last: LastWrite | undefined;
  const listeners = new Set<(write: LastWrite | undefined) => void>();
  const change = (next: LastWrite | undefined) => {
    last = next;
    for (const listener of listeners) listener(next);
  };
  return {
    made: change,
    clear: () => change(undefined),
    listen(listener) {
      listeners.add(listener);
      listener(last);
      return () => void listeners.delete(listener);
    },
  };
}

/** The text from before, as a change of what is there now: a write in between makes it a conflict. */
export function asChangeOf(before: string, now: string): string {
  const versionOf = (text: string) => metadataNode(text, "resourceVersion")?.value ?? "";
  const lines = before.split("\n");
  const node = metadataNode(before, "resourceVersion");
  if (node === undefined) return before;
  lines[node.from] = `  resourceVersion: ${versionOf(now)}`;
  return lines.join("\n");
}

/** The text without what each write changes: only what somebody wants to see is compared. */
export function withoutVersion(text: string): string {
  let rest = text;
  for (const field of ["resourceVersion", "generation"]) {
    const node = metadataNode(rest, field);
    if (node !== undefined) rest = withoutNode(yamlLines(rest), node);
  }
  return rest;
}

function metadataNode(text: string, field: string) {
  const lines = yamlLines(text);
  const [document] = documentsIn("", lines);
  if (document === undefined) return undefined;
  const { node, isExact } = findNode(yamlTree(lines, document.from, document.to), `metadata.${field}`);
  return isExact ? node : undefined;
}
