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
  return (
    <a class="who" href="#/access" title={`Groups: ${self.groups.join(", ") || "none"}. What may I do here?`}>
      <bdi>{self.name}</bdi>
    </a>
  );
}
