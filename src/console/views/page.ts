/** What every view gets. */

import type { Discovery } from "../../client/discovery/discovery.ts";
import type { Connection } from "../server/connection.ts";

export interface Page {
  readonly connection: Connection;
  readonly discovery: Discovery;
  /** Reads again what the server serves, and shows it: definitions add kinds. */
  readonly reload: () => Promise<Discovery>;
}

/** Whether a key is meant for the field or the dialog that has the focus, not for the view. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("dialog[open]") !== null) return true;
  return event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
}
