/** A shell in a container of a pod, through the program that serves the page. */

import { useEffect, useRef, useState } from "preact/hooks";
import { type Json, parts, text } from "../../server/json.ts";
import type { Shell, Streams } from "../../server/streams.ts";
import { Terminal } from "../terminal.tsx";

interface ShellTabOptions {
  readonly streams: Streams;
  readonly pod: Json;
}

type ShellState =
  /** It was not opened yet. */
  | { readonly at: "closed" }
  | { readonly at: "opening"; readonly number: number }
  | { readonly at: "open"; readonly number: number; readonly shell: Shell }
  /** `how`: what is said about its end. */
  | { readonly at: "ended"; readonly number: number; readonly how: string };

export function ShellTab({ streams, pod }: ShellTabOptions) {
  const names = ["containers", "ephemeralContainers"].flatMap((list) =>
    parts(pod, "spec", list).map((one) => text(one, "name")),
  );
  const [container, setContainer] = useState(names[0] ?? "");
  const [command, setCommand] = useState("sh");
  const [state, setState] = useState<ShellState>({ at: "closed" });
  const write = useRef<(bytes: Uint8Array) => void>(() => undefined);
  const running = useRef<Shell | undefined>(undefined);
  useEffect(() => () => running.current?.close(), []);
  const open = () => {
    running.current?.close();
    const number = state.at === "closed" ? 1 : state.number + 1;
    const [namespace, name] = [text(pod, "metadata", "namespace"), text(pod, "metadata", "name")];
    const words = command.trim().split(/\s+/);
    setState({ at: "opening", number });
    const shell = streams.openShell(
      { namespace, pod: name, container, words },
      {
        opened: () => setState({ at: "open", number, shell }),
        output: (bytes) => write.current(bytes),
        ended: (how) =>
          setState((now) => ("number" in now && now.number === number ? { at: "ended", number, how } : now)),
      },
    );
    running.current = shell;
  };
  const isRunning = state.at === "open" || state.at === "opening";
  return (
    <section aria-label="Shell" class="shell bare">
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          open();
        }}
      >
        <label>
          Container{" "}
          <select value={container} disabled={isRunning} onChange={(event) => setContainer(event.currentTarget.value)}>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Command{" "}
          <input
            value={command}
            required
            disabled={isRunning}
            spellcheck={false}
            onInput={(event) => setCommand(event.currentTarget.value)}
          />
        </label>
        {isRunning ? (
          <button type="button" onClick={() => running.current?.close()}>
            End it
          </button>
        ) : (
          <button type="submit" class="main">
            Open a shell
          </button>
        )}
        <span role="status">
          {state.at === "opening" && "Opening …"}
          {state.at === "open" && (
            <>
              <kbd>Shift Tab</kbd> leaves the terminal.
            </>
          )}
          {state.at === "ended" && <bdi>{state.how}</bdi>}
        </span>
      </form>
      {state.at === "closed" ? (
        <p class="note">The command runs in the container, with a terminal, as you. Leaving this tab ends it.</p>
      ) : (
        <Terminal
          key={state.number}
          label={`the shell in ${container}`}
          line={state.at === "open" ? state.shell : undefined}
          register={(show) => {
            write.current = show;
          }}
        />
      )}
    </section>
  );
}
