/** The server itself: its checks, and what it does over the last minutes. */

import { useEffect, useState } from "preact/hooks";
import type { Connection } from "../server/connection.ts";
import { type HealthCheck, readHealth, readMetrics } from "../server/overview.ts";
import { parseSample, type Rates, ratesBetween, type Sample } from "../state/samples.ts";
import { Card } from "./card.tsx";
import { Chart, type ChartOptions } from "./chart.tsx";
import { ErrorNote } from "./notes.tsx";
import { Status } from "./status.tsx";

const sampleEveryMs = 3_000;
/** A rate needs two samples: the second comes soon, so that charts do not stay empty. */
const secondSampleMs = 700;
const spanMs = 300_000;
const samplesMax = spanMs / sampleEveryMs;

const upToOneDigit = (value: number): string => String(Math.round(value * 10) / 10);
const small = (value: number): string =>
  value !== 0 && value < 1 ? String(Number(value.toPrecision(2))) : upToOneDigit(value);

function bytes(value: number): string {
  if (value < 2 ** 20) return `${upToOneDigit(value / 2 ** 10)} KiB`;
  return value < 2 ** 30 ? `${upToOneDigit(value / 2 ** 20)} MiB` : `${upToOneDigit(value / 2 ** 30)} GiB`;
}

const milliseconds = (ms: number): string => `${small(ms)} ms`;

const charts: readonly (Pick<ChartOptions, "title" | "format" | "unit" | "isBytes"> & { readonly key: keyof Rates })[] =
  [
    { title: "Requests", unit: "a second", key: "requests", format: small },
    { title: "Server errors", unit: "a second", key: "errors", format: small },
    { title: "Latency", unit: "mean", key: "latencyMs", format: milliseconds },
    { title: "Watches", unit: "open", key: "watches", format: upToOneDigit },
    { title: "Memory", unit: "resident", key: "memoryBytes", format: bytes, isBytes: true },
    { title: "Event-loop delay", unit: "mean", key: "delayMs", format: milliseconds },
    { title: "Store", unit: "on disk", key: "storeBytes", format: bytes, isBytes: true },
    { title: "Queues of controllers", unit: "keys that wait", key: "queued", format: upToOneDigit },
  ];

interface ServerPageOptions {
  readonly connection: Connection;
  readonly isLost: boolean;
}

export function ServerPage({ connection, isLost }: ServerPageOptions) {
  const { rates, queues, error } = useRates(connection);
  return (
    <article>
      <div class="tools">
        <h1>Server</h1>
        <Version connection={connection} />
      </div>
      <Health connection={connection} isLost={isLost} />
      {error !== undefined && !isLost && <ErrorNote error={error} />}
      {error === undefined && (
        <div class="charts">
          {charts.map(({ key, ...chart }) => {
            const points = rates.flatMap(({ atMs, rates: one }) => {
              const value = one[key];
              return value === undefined ? [] : [{ atMs, value }];
            });
            // What the server does not tell has no chart.
            if (rates.length > 0 && points.length === 0) return null;
            return <Chart key={key} {...chart} points={points} spanMs={spanOf(points)} />;
          })}
        </div>
      )}
      {queues.length > 0 && (
        <p class="note">
          Keys that wait for controllers: {queues.map(([name, depth]) => `${name} ${depth}`).join(", ")}
        </p>
      )}
    </article>
  );
}

/** At first a minute, so that a curve is seen soon. */
function spanOf(points: readonly { readonly atMs: number }[]): number {
  const known = (points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0);
  return [60_000, 120_000].find((span) => known <= span) ?? spanMs;
}

function Version({ connection }: { readonly connection: Connection }) {
  const [version, setVersion] = useState("");
  useEffect(() => {
    connection.send.json("/version").then(
      (found) => setVersion(String((found as { gitVersion?: unknown }).gitVersion ?? "")),
      () => undefined,
    );
  }, []);
  return version === "" ? null : <span class="badge">{version}</span>;
}

interface RatesAt {
  readonly atMs: number;
  readonly rates: Rates;
}

function useRates(connection: Connection) {
  const [rates, setRates] = useState<readonly RatesAt[]>([]);
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
      if (last === undefined) return;
      const next = { atMs: sample.atMs, rates: ratesBetween(last, sample) };
      setRates((all) => [...all, next].slice(-samplesMax));
    };
    const note = (failure: unknown) => ended.signal.aborted || setError(failure);
    // A tab that is not seen asks for nothing; its charts go on when it is seen again.
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
  return { rates, queues, error };
}

function Health({ connection, isLost }: ServerPageOptions) {
  const [checks, setChecks] = useState<readonly HealthCheck[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    readHealth(connection, ended.signal).then(setChecks, (failure) => ended.signal.aborted || setError(failure));
    return () => ended.abort();
  }, []);
  const bad = checks?.filter(({ isOk }) => !isOk) ?? [];
  return (
    <Card title="Checks">
      {error !== undefined && !isLost && <ErrorNote error={error} />}
      {checks !== undefined && bad.length === 0 && (
        <p>
          <Status state="healthy" word={`All ${checks.length} checks pass`} />
        </p>
      )}
      <ul class="problems">
        {bad.map(({ name }) => (
          <li key={name}>
            <Status state="failing" word={name} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
