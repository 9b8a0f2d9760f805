/** Texts that are being edited, kept in the tab so that a reload does not lose them. */

import { isJson, text } from "../server/json.ts";

interface Draft {
  readonly text: string;
  /** What the text was made of; "": nothing. */
  readonly base: string;
}

interface Drafts {
  /** Undefined: there is none. */
  kept(): Draft | undefined;
  keep(draft: Draft): void;
  drop(): void;
}

/** Browsers allow about five million characters for all. */
const draftCharsMax = 1_000_000;

/** `words`: what the draft is of. `isStored`: false for secrets, whose values stay in memory only. */
export function openDrafts(words: readonly string[], isStored: boolean): Drafts {
  const key = `console-draft ${words.map(encodeURIComponent).join("/")}`;
  return {
    kept() {
      const stored = isStored ? sessionStorage.getItem(key) : null;
      if (stored === null) return undefined;
      const draft: unknown = JSON.parse(stored);
      return isJson(draft) ? { text: text(draft, "text"), base: text(draft, "base") } : undefined;
    },
    keep(draft) {
      if (!isStored) return sessionStorage.removeItem(key);
      if (draft.text.length + draft.base.length > draftCharsMax) return;
      try {
        sessionStorage.setItem(key, JSON.stringify(draft));
      } catch {
        // The storage is full: the draft is only in the field.
      }
    },
    drop: () => sessionStorage.removeItem(key),
  };
}
