/** What every view gets. */

import type { Discovery } from "../../client/discovery/discovery.ts";
import type { Connection } from "../server/connection.ts";
import type { TestingPaths } from "../server/testing.ts";
import type { LastWrites } from "../state/last-write.ts";
import type { ObjectsRoute } from "../state/route.ts";

export interface Page {
  readonly connection: Connection;
  readonly discovery: Discovery;
  /** Reads again what the server serves, and shows it: definitions add kinds. */
  readonly reload: () => Promise<Discovery>;
  /** What a server for tests serves beside its API. */
  readonly testing: TestingPaths;
  /** Views tell it what they have written, so that it can be taken back. */
  readonly writes: LastWrites;
  /** The list that is shown or was shown last: the next kind begins in its namespaces, and an object leads back to it. */
  readonly list: ObjectsRoute | undefined;
}

/** Ctrl d and Delete, but not in a field. */
export function isDeleteKey(event: KeyboardEvent): boolean {
  const isControl = event.key === "d" && event.ctrlKey && !event.metaKey && !event.altKey;
  if (!isControl) return event.key === "Delete" && !isTyping(event);
  return !isInField(event);
}

/** Whether a key is meant for the field or the dialog that has the focus, not for the view. */
export function isTyping(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || isInField(event);
}

function isInField(event: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]") !== null) return true;
  return event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
}
