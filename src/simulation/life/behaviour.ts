/** How a simulated pod behaves: by annotations, or like most pods of its sort. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { parseDuration } from "../../base/duration.ts";
import { controllerOf } from "../../controllers/parts/ownership/controller-ref.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import { jsonTable } from "../json-table.ts";
import type { FailingTime } from "./probes.ts";

export interface Behaviour {
  /** From the binding until the first container runs. */
  readonly startMs: number;
  /** How long each init container takes, and how it exits. */
  readonly initMs: number;
  readonly initExitCode: number;
  /** Whether annotations say how containers, or init containers, run and exit: then their commands are not run. */
  readonly declaresRun: boolean;
  readonly declaresInit: boolean;
  /** Whether one says how long they take to stop. */
  readonly declaresStop: boolean;
  /** After which the containers exit; undefined: never. */
  readonly runForMs: number | undefined;
  readonly exitCode: number;
  readonly neverReady: boolean;
  /** How long startup probes fail. */
  readonly startupMs: number;
  /** When the probes of a container fail that have begun to succeed; undefined: never. */
  readonly readinessFails: FailingTime | undefined;
  readonly livenessFails: FailingTime | undefined;
  /** How long the containers take to stop when the pod is deleted; never longer than its grace period. */
  readonly stopMs: number;
  /** Containers that are to exit at once, unless they were restarted more often than this. */
  readonly exits: ReadonlyMap<string, { readonly restarts: number; readonly exitCode: number }>;
  /** What containers leave behind as their termination message, by name; "" is for all others. */
  readonly terminationMessages: ReadonlyMap<string, string>;
  /** Patterns of images that cannot be pulled. */
  readonly pullFails: readonly string[];
}

const startMsDefault = 200;
const initMsDefault = 100;
/** How long a pod works that has work to do. */
const jobRunMs = 1_000;

/** What an annotation's name begins with: our own, so it is the same in every vocabulary. */
export const annotationPrefix = "simulation.orch.io/";

/** The annotations, without their prefix. A stage declares the same in camel case. */
export const behaviourAnnotations = {
  "start-after": "how long the containers take to start",
  "run-for": "how long the containers run before they exit",
  "exit-code": "the exit code of the containers",
  "crash-after": "like run-for, with exit code 1",
  "never-ready": "true: the containers never become ready",
  "init-for": "how long each init container runs",
  "init-exit-code": "the exit code of init containers",
  "startup-takes": "how long startup probes fail",
  "readiness-fails": "from when on readiness probes fail, and until when: 30s or 30s-45s",
  "liveness-fails": "the same for liveness probes",
  "stop-after": "how long the containers take to stop when the pod is deleted",
  "image-pull-fails": "images that cannot be pulled, with * for any part: registry.example/*, *:nope",
  "termination-message":
    "what containers leave behind when they exit; with .NAME at the end, the container of this name",
  exit: 'containers that are to exit at once: {"main": {"restarts": 0, "exitCode": 1}}',
} as const;

/** An annotation that cannot be read counts as absent. */
export function behaviourOf(pod: Pod): Behaviour {
  const given = (name: keyof typeof behaviourAnnotations) => pod.metadata.annotations?.[annotationPrefix + name];
  const duration = (name: keyof typeof behaviourAnnotations) => durationMs(given(name));
  const crashMs = duration("crash-after");
  return {
    startMs: duration("start-after") ?? startMsDefault,
    initMs: duration("init-for") ?? initMsDefault,
    initExitCode: exitCodeOf(given("init-exit-code")),
    declaresRun: crashMs !== undefined || duration("run-for") !== undefined || isCode(given("exit-code")),
    declaresInit: duration("init-for") !== undefined || isCode(given("init-exit-code")),
    declaresStop: duration("stop-after") !== undefined,
    runForMs: crashMs ?? duration("run-for") ?? (endsByItself(pod) ? jobRunMs : undefined),
    exitCode: exitCodeOf(given("exit-code") ?? (crashMs === undefined ? 0 : 1)),
    neverReady: given("never-ready") === "true",
    startupMs: duration("startup-takes") ?? 0,
    readinessFails: failingTime(given("readiness-fails")),
    livenessFails: failingTime(given("liveness-fails")),
    stopMs: duration("stop-after") ?? 0,
    exits: exitsOf(given("exit")),
    terminationMessages: messagesOf(pod),
    pullFails: patternsOf(given("image-pull-fails")),
  };
}

/**
 * Pods of a Job do their work and end, and so do pods that nothing controls and that must not always run. One with an open input is a
 * session of somebody.
 */
function endsByItself(pod: Pod): boolean {
  const owner = controllerOf(pod);
  if (owner !== undefined) return owner.kind === "Job";
  const { restartPolicy = "Always", containers = [] } = pod.spec ?? {};
  return restartPolicy !== "Always" && !containers.some(({ stdin }) => stdin === true);
}

/** What real agents keep of a message. */
export const terminationMessageCharsMax = 4_096;

function messagesOf({ metadata }: Pod): Behaviour["terminationMessages"] {
  const name = `${annotationPrefix}termination-message`;
  const found = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key === name || key.startsWith(`${name}.`),
  );
  if (found.length === 0) return noMessages;
  return new Map(found.map(([key, text]) => [key.slice(name.length + 1), text.slice(0, terminationMessageCharsMax)]));
}

/** Further patterns do not count. */
export const pullPatternsMax = 100;

const patternsOf = (text: string | undefined): readonly string[] =>
  text === undefined ? noPatterns : text.split(/[\s,]+/, pullPatternsMax).filter((one) => one !== "");

const noMessages: Behaviour["terminationMessages"] = new Map();
const noPatterns: readonly string[] = [];

/** Undefined: not a duration. A negative one counts as none. */
export function durationMs(text: string | undefined): number | undefined {
  const nanos = text === undefined ? undefined : parseDuration(text.trim());
  return nanos === undefined ? undefined : Math.max(0, Number(nanos) / 1e6);
}

const isCode = (given: string | undefined): boolean =>
  given !== undefined && /^\d{1,3}$/.test(given) && Number(given) <= 255;

function exitCodeOf(given: unknown): number {
  const code = Number(given ?? 0);
  return Number.isInteger(code) && code >= 0 && code <= 255 ? code : 0;
}

/** "30s": from then on; "30s-45s": only until then. */
function failingTime(text: string | undefined): FailingTime | undefined {
  const [from, to, ...more] = (text ?? "").split("-");
  const fromMs = durationMs(from);
  const toMs = to === undefined ? Number.POSITIVE_INFINITY : durationMs(to);
  return fromMs === undefined || toMs === undefined || more.length > 0 ? undefined : { fromMs, toMs };
}

/** By name of a container. */
function exitsOf(text: string | undefined): Behaviour["exits"] {
  if (text === undefined) return noExits;
  return new Map(
    Object.entries(jsonTable(text)).flatMap(([name, one]) =>
      isObject(one) && typeof one["restarts"] === "number"
        ? [[name, { restarts: one["restarts"], exitCode: exitCodeOf(one["exitCode"]) }] as const]
        : [],
    ),
  );
}

const noExits: Behaviour["exits"] = new Map();
