/** Who the server says one is, and the way to what one may do. */

import { useEffect, useState } from "preact/hooks";
import { readSelf, type Self } from "../server/self.ts";
import type { Page } from "./page.ts";

export function WhoAmI({ page }: { readonly page: Page }) {
  const [self, setSelf] = useState<Self | undefined>(undefined);
  useEffect(() => {
    readSelf(page).then(setSelf, () => undefined);
  }, [page.discovery]);
  if (self === undefined) return null;
  const groups = `Groups: ${self.groups.join(", ") || "none"}. What may I do here?`;
  return (
    <a class="who" href="#/access" aria-label={self.name} title={`${self.name}. ${groups}`}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" class="line-icon">
        <path d="M8 8.2a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8M2.4 14c.5-2.6 2.6-4.2 5.6-4.2s5.1 1.6 5.6 4.2" />
      </svg>
      <bdi>{self.name}</bdi>
    </a>
  );
}
