/** Files of one volume whose paths overlap, so that one of them hides another. */

import type { Volume } from "../volume/volume.ts";

interface Item {
  readonly path: string;
}

/** One for each path that overlaps an earlier one: both are the same, or one is a directory of the other. */
export function overlapWarnings(volume: Volume, at: string): string[] {
  const { configMap, secret, downwardAPI, projected } = volume;
  const sources: { readonly items?: readonly Item[] }[] = [
    ...[configMap, secret, downwardAPI].flatMap((source) => (source ? [source] : [])),
    ...(projected?.sources ?? []).map(filesOf),
  ];
  const files = new Set<string>();
  const directories = new Set<string>();
  return sources
    .flatMap(({ items = [] }) => items.map(({ path }) => path.replace(/\/+$/, "")))
    .flatMap((path) => {
      const parents = parentsOf(path);
      const overlaps = files.has(path) || directories.has(path) || parents.some((parent) => files.has(parent));
      files.add(path);
      for (const parent of parents) directories.add(parent);
      return overlaps ? [`${at}: the path "${path}" overlaps that of another file`] : [];
    });
}

type Source = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];

function filesOf(source: Source): { readonly items?: readonly Item[] } {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = source;
  const single = serviceAccountToken ?? clusterTrustBundle;
  return configMap ?? secret ?? downwardAPI ?? { items: single ? [{ path: single.path }] : [] };
}

/** More is not looked at. */
const depthMax = 64;

const parentsOf = (path: string): string[] => {
  const parts = path.split("/").slice(0, depthMax);
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
};
