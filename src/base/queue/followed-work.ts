/** How a server in the process learns of the work queues of programs, so that waits for it know their work too. */

import type { QueueStats } from "./contract.ts";

/** The member of a server; the same in every bundle. */
export const followWork: unique symbol = Symbol.for("orch.followWork");

export interface FollowsWork {
  /** Waits of the server include these queues, until the returned function is called. */
  readonly [followWork]?: FollowWork | undefined;
}

export type FollowWork = (queues: () => readonly QueueStats[]) => () => void;
