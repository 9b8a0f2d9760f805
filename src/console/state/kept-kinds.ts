/** The kinds that the user has pinned, and those that were looked at last, as long as the browser keeps them. */

export interface KeptKinds {
  /** "pods", "deployments.apps". */
  readonly pinned: readonly string[];
  /** The last one first. */
  readonly recent: readonly string[];
}

export const recentMax = 5;
const pinnedMax = 30;
const storedAs = "console-kinds";

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

export function readKeptKinds(storage: Storage): KeptKinds {
  try {
    const found: unknown = JSON.parse(storage.getItem(storedAs) ?? "{}");
    const listOf = (key: string): string[] => {
      const list: unknown = typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined;
      return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
    };
    return { pinned: listOf("pinned").slice(0, pinnedMax), recent: listOf("recent").slice(0, recentMax) };
  } catch {
    return { pinned: [], recent: [] };
  }
}

function keep(storage: Storage, kinds: KeptKinds): KeptKinds {
  storage.setItem(storedAs, JSON.stringify(kinds));
  return kinds;
}

export function withRecent(storage: Storage, id: string): KeptKinds {
  const { pinned, recent } = readKeptKinds(storage);
  return keep(storage, { pinned, recent: [id, ...recent.filter((one) => one !== id)].slice(0, recentMax) });
}

export function withPinned(storage: Storage, id: string, isPinned: boolean): KeptKinds {
  const { pinned, recent } = readKeptKinds(storage);
  const others = pinned.filter((one) => one !== id);
  return keep(storage, { pinned: isPinned ? [...others, id].slice(0, pinnedMax) : others, recent });
}
