/** The one message that the server does not answer; it goes by itself when it does. */

import { useEffect, useState } from "preact/hooks";
import type { Connection, ConsoleFacts } from "../server/connection.ts";
import type { Reach } from "../server/reachability.ts";

export function useReach({ reachability }: Connection): Reach {
  const [reach, setReach] = useState<Reach>({ isLost: false, why: "", returns: 0 });
  useEffect(() => reachability.listen(setReach), [reachability]);
  return reach;
}

export const LostBanner = ({ reach, facts }: { readonly reach: Reach; readonly facts: ConsoleFacts }) => (
  <div class="lost" role="alert">
    <p>
      <strong>The server does not answer.</strong> What is shown is from before. Trying again …
    </p>
    <p>
      <small>
        {facts.server} <bdi>{reach.why}</bdi>
      </small>
    </p>
  </div>
);
