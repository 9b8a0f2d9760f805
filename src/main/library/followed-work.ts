/** The work queues of programs that use a server in their process. */

import type { QueueStats } from "../../base/queue/contract.ts";
import type { FollowWork } from "../../base/queue/followed-work.ts";

export interface FollowedWork {
  readonly follow: FollowWork;
  queues(): readonly QueueStats[];
}

export function createFollowedWork(): FollowedWork {
  const followed = new Set<() => readonly QueueStats[]>();
  return {
    follow(queues) {
      followed.add(queues);
      return () => followed.delete(queues);
    },
    queues: () => [...followed].flatMap((queues) => queues()),
  };
}
