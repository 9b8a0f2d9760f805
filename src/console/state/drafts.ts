/** Texts that are being edited, kept in the tab so that a reload does not lose them. */

import type { ObjectName } from "./route.ts";

export interface Drafts {
  /** Undefined: there is none. */
  kept(): string | undefined;
  keep(text: string): void;
  drop(): void;
}

/** Browsers allow about five million characters for all. */
export const draftCharsMax = 1_000_000;

/** `isStored`: false for secrets, whose values stay in memory only. */
export function openDrafts({ group, version, resource, namespace, name }: ObjectName, isStored: boolean): Drafts {
  const key = `console-draft ${[group, version, resource, namespace, name].map(encodeURIComponent).join("/")}`;
  return {
    kept: () => (isStored ? (sessionStorage.getItem(key) ?? undefined) : undefined),
    keep(text) {
      if (!isStored || text.length > draftCharsMax) return;
      try {
        sessionStorage.setItem(key, text);
      } catch {
        // The storage is full: the draft is only in the field.
      }
    },
    drop: () => sessionStorage.removeItem(key),
  };
}
