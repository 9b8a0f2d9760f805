/** What the server does over the last minutes, as plots of its metrics. */

import { useEffect, useState } from "preact/hooks";
import type { Connection } from "../server/connection.ts";
import { readMetrics } from "../server/overview.ts";
import { parseSample, type Rates, ratesBetween, type Sample } from "../state/samples.ts";
import { ErrorNote } from "./notes.tsx";
import { Plot, type PlotOptions } from "./plot.tsx";

const sampleEveryMs = 3_000;
/** A rate needs two samples: the second comes soon, so that plots do not stay empty. */
const secondSampleMs = 700;
/** Five minutes. */
const samplesMax = 100;

const oneDigit = (value: number): string => value.toFixed(1);
const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

const kibibytes = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.round(bytes / 2 ** 10)} KiB` : mebibytes(bytes);

const milliseconds = (ms: number): string => `${oneDigit(ms)} ms`;

const plots: readonly (Pick<PlotOptions, "title" | "format"> & { readonly key: keyof Rates })[] = [
  { title: "Requests a second", key: "requests", format: oneDigit },
  { title: "Server errors a second", key: "errors", format: oneDigit },
  { title: "Mean latency", key: "latencyMs", format: milliseconds },
  { title: "Watches", key: "watches", format: String },
  { title: "Memory", key: "memoryBytes", format: mebibytes },
  { title: "Event-loop delay", key: "delayMs", format: milliseconds },
  { title: "Store", key: "storeBytes", format: kibibytes },
  { title: "Waiting in controllers' queues", key: "queued", format: String },
];

export function OverviewPlots({ connection }: { readonly connection: Connection }) {
  const [rates, setRates] = useState<readonly Rates[]>([]);
  const [queues, setQueues] = useState<readonly (readonly [string, number])[]>([]);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    let before: Sample | undefined;
    const take = async () => {
      const sample = parseSample(await readMetrics(connection, ended.signal), Date.now());
      const last = before;
      before = sample;
      setError(undefined);
      setQueues([...sample.queues].filter(([, depth]) => depth > 0));
      if (last !== undefined) setRates((all) => [...all, ratesBetween(last, sample)].slice(-samplesMax));
    };
    const note = (failure: unknown) => ended.signal.aborted || setError(failure);
    // A tab that is not seen asks for nothing; its plots go on when it is seen again.
    const takeSeen = () => {
      if (document.visibilityState === "visible") take().catch(note);
    };
    takeSeen();
    const soon = setTimeout(takeSeen, secondSampleMs);
    const timer = setInterval(takeSeen, sampleEveryMs);
    document.addEventListener("visibilitychange", takeSeen);
    return () => {
      clearTimeout(soon);
      clearInterval(timer);
      document.removeEventListener("visibilitychange", takeSeen);
      ended.abort();
    };
  }, []);
  return (
    <section>
      <h2>Requests</h2>
      {error !== undefined && <ErrorNote error={error} />}
      <div class="plots">
        {plots.map(({ title, key, format }) => {
          const values = rates.map((one) => one[key]).filter((value) => value !== undefined);
          // What the server does not tell has no plot.
          if (rates.length > 0 && values.length === 0) return null;
          return <Plot key={key} title={title} values={values} format={format} />;
        })}
      </div>
      {queues.length > 0 && (
        <p>Keys that wait for controllers: {queues.map(([name, depth]) => `${name} ${depth}`).join(", ")}</p>
      )}
    </section>
  );
}
