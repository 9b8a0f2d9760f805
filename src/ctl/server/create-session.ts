/** The server of a command, as its flags and the client configuration choose it. */

import type { Context } from "../context.ts";
import { requestTimeoutMs } from "../flags/request-timeout.ts";
import { Session } from "./session.ts";

type Chosen = Pick<Context, "environment" | "configuration" | "flags" | "behaviour" | "warn" | "log" | "say">;

export function createSession(context: Chosen): Session {
  const { environment, configuration, flags } = context;
  const timeoutMs = requestTimeoutMs(flags["request-timeout"]); // a wrong value is an error even if nothing is sent over a network
  return new Session({
    environment,
    access: () => configuration.access(),
    beforeConnecting: () => configuration.requireServer(),
    requestTimeoutMs: () => timeoutMs,
    cacheFolder: flags["cache-dir"],
    isAggregated: context.behaviour.usesNewRequests,
    warn: (message) => context.warn(message),
    trace: flags.v >= 6 ? (line) => context.log("round_trippers.go:454", line, "I") : undefined,
    traceHeaders: flags.v >= 8 ? (line) => context.say(line) : undefined,
  });
}
