/** Keeps the audit record of every request, from its authentication to the end of its answer. */

import { isIP } from "node:net";
import type { AuditedAnswer, AuditRecord } from "../../audit/contract.ts";
import { internalError } from "../../machinery/status/status.ts";
import { captureAnswer } from "../audit/capture-answer.ts";
import { announceStart, emit, hasStarted, noteCircumstances } from "../audit/stages.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

const nothing: Filter = {};
const none: Readonly<Record<string, string>> = {};

/** Before impersonation: the policy applies to the authenticated user, which is all that the first event can show. */
export function auditReceipt(context: ServerContext): Filter {
  const { audit, vocabulary, catalog } = context;
  if (audit === undefined) return nothing;
  // Its handler records the start, so that every event of the watch is written without a detour.
  const isOwnWatch = ({ verb, info: { group, version, resource } }: Call) =>
    verb === "watch" && catalog.byResource(group, version, resource) !== undefined;
  const authenticatorKey = vocabulary.word("authentication.orch.io/authenticator");
  const credentialKey = vocabulary.word("authentication.orch.io/credential-id");
  return {
    enter(call) {
      // The filter before this one has just read the clock at its end.
      call.audit = begin(context, call, call.user, call.filteredMs);
      if (call.audit === undefined) return;
      if (audit.namesCredentials === true) {
        call.audit.annotate(authenticatorKey, call.authenticatedBy);
        if (call.credentialId !== "") call.audit.annotate(credentialKey, call.credentialId);
      }
      for (const [key, value] of Object.entries(call.authentication?.remarks?.annotations ?? none))
        call.audit.annotate(key, value);
      for (const [key, value] of Object.entries(call.exchange.refusal?.annotations ?? none))
        call.audit.annotate(key, value);
      if (call.isLongRunning) {
        if (!isOwnWatch(call)) call.exchange = announceStart(call);
      } else if (call.audit.wantsResponse) call.exchange = captureAnswer(context, call);
      const waiting = call.audit.reach("RequestReceived");
      // Only if the mode of a backend forbids work without its audit event.
      return waiting?.catch((cause: unknown) => {
        throw internalError("failed to store audit event", cause);
      });
    },
  };
}

export function auditCompletion(context: ServerContext): Filter {
  if (context.audit === undefined) return nothing;
  return {
    leave(call) {
      try {
        complete(context, call);
      } catch (cause) {
        context.log.error("auditing failed", { cause, auditId: call.auditId });
      }
    },
  };
}

function complete(context: ServerContext, call: Call): void {
  // Authentication failed: a single event records the attempt.
  if (call.authentication === undefined) {
    if (call.exchange.status !== 401) return;
    emit(begin(context, call, undefined, call.endedMs), "ResponseStarted", answerOf(call));
    return;
  }
  const { audit } = call;
  if (audit === undefined) return;
  const answer = answerOf(call);
  noteCircumstances(call, audit);
  // The events of a watch are not recorded, but a refusal to start it is.
  if (call.isLongRunning && call.answered !== undefined) audit.responseObject(JSON.stringify(call.answered));
  if (call.isLongRunning && !hasStarted(audit)) emit(audit, "ResponseStarted", answer);
  emit(audit, "ResponseComplete", answer);
}

function answerOf(call: Call): AuditedAnswer {
  const { answered, exchange } = call;
  const code = exchange.status;
  if (answered === undefined) return { code };
  // As in v1.21: the message is for the client; the audit event has the reason.
  const { status, reason } = answered;
  return { code, status, reason };
}

/** `nowMs`: on the monotonic clock. */
function begin(
  { audit, clock }: ServerContext,
  call: Call,
  user: Call["user"] | undefined,
  nowMs: number,
): AuditRecord | undefined {
  const { exchange, auditId, info } = call;
  const recordedMs = clock.now();
  return audit?.begin({
    auditId,
    uri: exchange.target,
    target: info,
    user,
    sourceIps: sourceIps(call),
    userAgent: exchange.header("user-agent") ?? "",
    receivedMs: recordedMs - (nowMs - call.startedMs),
    recordedMs,
  });
}

/** Addresses from the headers of proxies, which any client can forge, then the address of the connection, which it cannot. */
function sourceIps({ exchange }: Call): readonly string[] {
  const forwardedFor = exchange.header("x-forwarded-for") ?? "";
  const realIp = exchange.header("x-real-ip")?.trim() ?? "";
  const { remoteAddress } = exchange;
  if (forwardedFor === "" && realIp === "") return remoteAddress === "" ? [] : [remoteAddress];
  const told = forwardedFor.split(",").map((part) => part.trim());
  const ips = told.filter((part) => isIP(part) !== 0).slice(0, toldIpsMax);
  if (isIP(realIp) !== 0 && !ips.includes(realIp)) ips.push(realIp);
  if (remoteAddress !== "" && ips.at(-1) !== remoteAddress) ips.push(remoteAddress);
  return ips;
}

/** How many addresses of proxies one event shows. */
const toldIpsMax = 32;
