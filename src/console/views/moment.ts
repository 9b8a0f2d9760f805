/** The moment that is looked at. It stays in the address when one goes from view to view. */

import { useEffect, useState } from "preact/hooks";
import { momentIn, withMoment } from "../state/moment.ts";

export interface Moment {
  /** "": now. */
  readonly at: string;
  readonly go: (at: string) => void;
}

export function useMoment(): Moment {
  const [at, setAt] = useState(() => momentIn(location.hash));
  useEffect(() => {
    const onHash = () => {
      const named = momentIn(location.hash);
      if (named !== "") setAt(named);
      // The links of views do not name it.
      else if (at !== "") history.replaceState(null, "", withMoment(location.hash, at));
    };
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, [at]);
  const go = (next: string) => {
    history.replaceState(null, "", withMoment(location.hash, next));
    setAt(next);
  };
  return { at, go };
}
