/** How something is, as a shape, a colour and a word: each of them alone is enough. */

import type { HealthState } from "../../operations/health.ts";

/** A circle with a tick, an open ring, an octagon with a cross, a diamond with a question mark. */
const shapes: Readonly<Record<HealthState, readonly [outline: string, sign: string]>> = {
  healthy: ["M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z", "M4.8 8.2 7 10.4l4.2-4.6"],
  progressing: ["M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z", "M8 4.2V8l2.6 1.8"],
  failing: ["M5 1h6l4 4v6l-4 4H5l-4-4V5Z", "M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8"],
  unknown: ["M8 .8 15.2 8 8 15.2.8 8Z", "M6.4 6.4a1.7 1.7 0 1 1 2.3 1.6c-.5.2-.7.5-.7 1v.2M8 11.3v.1"],
};

const words: Readonly<Record<HealthState, string>> = {
  healthy: "healthy",
  progressing: "in progress",
  failing: "failing",
  unknown: "unknown",
};

export const stateWord = (state: HealthState): string => words[state];

/** `label`: what is said to those who do not see it; absent: a word stands beside it. */
export function StateIcon({ state, label }: { readonly state: HealthState; readonly label?: string }) {
  const [outline, sign] = shapes[state];
  const named = label === undefined ? { "aria-hidden": true as const } : { role: "img" as const, "aria-label": label };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label, or a word stands beside it
    <svg class={`state-icon is-${state}`} viewBox="0 0 16 16" width="14" height="14" {...named}>
      <path class="shape" d={outline} />
      <path class="sign" d={sign} />
    </svg>
  );
}

/** Of an Event: a warning, or what is only told. */
export const EventIcon = ({ isWarning }: { readonly isWarning: boolean }) =>
  isWarning ? (
    <StateIcon state="failing" label="Warning" />
  ) : (
    <svg class="state-icon is-told" viewBox="0 0 16 16" width="14" height="14" role="img" aria-label="Normal">
      <title>Normal</title>
      <circle class="shape" cx="8" cy="8" r="3.2" />
    </svg>
  );

interface StatusOptions {
  readonly state: HealthState;
  readonly word: string;
  /** Why; "" and absent: no more than the word. */
  readonly why?: string;
}

export const Status = ({ state, word, why = "" }: StatusOptions) => (
  <span class={`status is-${state}`} title={why === "" ? undefined : why}>
    <StateIcon state={state} />
    <bdi>{word}</bdi>
    {word.toLowerCase() !== words[state] && <span class="unseen"> ({words[state]})</span>}
  </span>
);
