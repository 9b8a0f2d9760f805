/** What a pod uses, as it is measured, while the tab is open. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../../client/contract.ts";
import { type Json, text } from "../../server/json.ts";
import { readPodUsage, shortQuantity, type Usage } from "../../server/usage.ts";
import { Chart } from "../chart.tsx";
import type { Page } from "../page.ts";

const readEveryMs = 5_000;
const spanMs = 300_000;

interface MetricsTabOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

interface UsageAt extends Usage {
  readonly atMs: number;
}

export function MetricsTab({ page, object }: MetricsTabOptions) {
  const [known, setKnown] = useState<readonly UsageAt[]>([]);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const ended = new AbortController();
    const ref = { name: text(object, "metadata", "name"), namespace: text(object, "metadata", "namespace") };
    const take = async () => {
      if (document.visibilityState !== "visible") return;
      const usage = await readPodUsage({ ...page, signal: ended.signal }, ref);
      if (ended.signal.aborted) return;
      setMissing(usage === undefined);
      if (usage !== undefined)
        setKnown((before) => [...before, { atMs: Date.now(), ...usage }].slice(-spanMs / readEveryMs));
    };
    void take();
    const timer = setInterval(() => void take(), readEveryMs);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, []);
  return (
    <section>
      {isMissing && known.length === 0 && <p class="note">Nobody has measured this pod yet.</p>}
      <div class="charts">
        <Chart
          title="CPU"
          unit="cores"
          points={known.map(({ atMs, cpu }) => ({ atMs, value: cpu }))}
          spanMs={spanMs}
          format={(value) => shortQuantity(value, false)}
        />
        <Chart
          title="Memory"
          unit="bytes"
          points={known.map(({ atMs, memory }) => ({ atMs, value: memory }))}
          spanMs={spanMs}
          format={(value) => shortQuantity(value, true)}
          isBytes
        />
      </div>
      <p class="note">A point every {readEveryMs / 1_000} s, while this is open.</p>
    </section>
  );
}
