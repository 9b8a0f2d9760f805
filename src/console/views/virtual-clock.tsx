/** The clock of a server for tests: it stands still, and is moved here. */

import { useEffect, useState } from "preact/hooks";
import type { Connection } from "../server/connection.ts";
import { advanceClock, readClock, type VirtualTime } from "../server/testing.ts";
import { ErrorNote, Waiting } from "./notes.tsx";

const steps = ["30s", "5m", "1h", "24h"];
/** While it moves it is looked at again and again, and otherwise now and then: a test may move it too. */
const [movingEveryMs, restingEveryMs] = [300, 3_000];

export function VirtualClock({ connection }: { readonly connection: Connection }) {
  const [time, setTime] = useState<VirtualTime | undefined>(undefined);
  const [by, setBy] = useState("10m");
  const [error, setError] = useState<unknown>(undefined);
  const read = () => readClock(connection).then(setTime, setError);
  const isMoving = time?.isMoving === true;
  useEffect(() => {
    void read();
    const timer = setInterval(() => void read(), isMoving ? movingEveryMs : restingEveryMs);
    return () => clearInterval(timer);
  }, [isMoving]);
  const advance = (step: string) => {
    setError(undefined);
    advanceClock(connection, step).then(read, setError);
  };
  return (
    <section>
      <h2>Clock</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {time === undefined && <Waiting what="the clock" />}
      {time !== undefined && (
        <p role="status">
          <strong class="time-shown">{time.now.replace("T", " ").replace(/(\.000)?Z$/, " UTC")}</strong>{" "}
          {isMoving ? "moving: what comes due is done …" : "It stands still until it is moved."}
        </p>
      )}
      {!connection.facts.isReadOnly && (
        <form
          class="tools"
          onSubmit={(event) => {
            event.preventDefault();
            advance(by);
          }}
        >
          {steps.map((step) => (
            <button key={step} type="button" disabled={isMoving} onClick={() => advance(step)}>
              + {step}
            </button>
          ))}
          <label>
            By <input type="text" size={6} value={by} onInput={(event) => setBy(event.currentTarget.value)} />
          </label>
          <button type="submit" disabled={isMoving}>
            Advance
          </button>
        </form>
      )}
    </section>
  );
}
