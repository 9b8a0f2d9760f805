/** Auditing as its flags describe it: the policy, and where events go. */

import { createBatchSink, type TakeBatch } from "../audit/batches.ts";
import type { Audit, AuditEvent, AuditSink } from "../audit/contract.ts";
import { daysMs, type LogFile, openLogFile, usualBytesMax } from "../audit/log-file.ts";
import { createLogSink } from "../audit/log-sink.ts";
import { type AuditMetrics, createAuditMetrics } from "../audit/metrics.ts";
import { type AuditPolicy, parsePolicy } from "../audit/policy.ts";
import { type AuditVersion, printEvent, printLegacy } from "../audit/print.ts";
import { createAudit } from "../audit/record.ts";
import { withTruncation } from "../audit/truncate.ts";
import { createBlockingWebhookSink, createWebhookPost, webhookBatchesMax } from "../audit/webhook-sink.ts";
import { createDelivery } from "../base/callout.ts";
import type { Clock } from "../base/clock.ts";
import { FlagError } from "../base/flags/flag.ts";
import type { Log } from "../base/log.ts";
import type { Metric } from "../base/metrics.ts";
import { parseEndpoint } from "../machinery/client-file/endpoint.ts";
import { decodeYaml } from "../machinery/codec/yaml.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { checkAuditFlags } from "./flags/check-audit.ts";
import { readFileBeside } from "./flags/read-access.ts";
import { FlagFileError, readFlagFile, useFlagFile } from "./flags/read-file.ts";
import type { ApiServerFlags } from "./programs/apiserver.ts";

interface OpenAudit {
  readonly audit: Audit;
  readonly metrics: readonly Metric[];
  /** Writes the events that are still waiting. */
  close(): Promise<void>;
}

interface Parts {
  readonly flags: ApiServerFlags;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Log;
}

const batchModes = ["batch"];

/** Undefined: nothing is audited. Throws FlagError or FlagFileError for flags or files that cannot be used. */
export async function openAudit(parts: Parts): Promise<OpenAudit | undefined> {
  const { flags, vocabulary, clock, log } = parts;
  checkAuditFlags(flags);
  const group = vocabulary.group("audit.orch.io");
  const policyFile = flags["audit-policy-file"];
  const hasSink = flags["audit-log-path"] !== "" || flags["audit-webhook-config-file"] !== "";
  const policy = policyFile === "" ? undefined : await readPolicy(policyFile, group, log);
  const metrics = createAuditMetrics();
  const sinks: AuditSink[] = [];
  if (flags["audit-log-path"] !== "") sinks.push(await openLogSink(parts, group, metrics));
  if (flags["audit-webhook-config-file"] !== "") sinks.push(await openWebhookSink(parts, group, metrics));
  const close = async () => {
    await Promise.all(sinks.map((sink) => sink.close()));
  };
  if (policy === undefined) {
    if (hasSink) log.warn("nothing is audited: --audit-policy-file is not set");
    await close();
    return undefined;
  }
  if (!hasSink) {
    log.warn(
      "nothing is audited: --audit-policy-file is set, but neither --audit-log-path nor --audit-webhook-config-file",
    );
    return undefined;
  }
  const audit = { ...createAudit({ policy, sinks, clock, metrics }), namesCredentials: flags["audit-credentials"] };
  return { audit, metrics: metrics.all, close };
}

export async function readPolicy(path: string, group: string, log: Log): Promise<AuditPolicy> {
  const text = await readFlagFile("audit-policy-file", path);
  return useFlagFile("audit-policy-file", path, () => {
    const decoded = decodeYaml(Buffer.from(text));
    const policy = parsePolicy(decoded, group);
    const { apiVersion } = decoded as { apiVersion: string }; // parsePolicy has validated it
    if (apiVersion !== `${group}/v1`) {
      log.warn(`${apiVersion} is deprecated and will be removed in a future release, use ${group}/v1 instead`, {
        path,
      });
    }
    return policy;
  });
}

async function openLogSink(
  { flags, vocabulary, clock, log }: Parts,
  group: string,
  metrics: AuditMetrics,
): Promise<AuditSink> {
  const version = versionOf("audit-log-version", flags["audit-log-version"], group);
  const print =
    flags["audit-log-format"] === "legacy" ? printLegacy : (event: AuditEvent) => printEvent(event, group, version);
  const path = flags["audit-log-path"];
  const file = path === "-" ? standardOutput : await openFile(path, flags, clock, log);
  const mode = flags["audit-log-mode"];
  const plain = createLogSink({ file, print, mode, clock, metrics });
  const batched = batchModes.includes(mode)
    ? batch("log", (events) => writeAll(plain, events), plain, flags, clock, metrics)
    : plain;
  if (!flags["audit-log-truncate-enabled"]) return batched;
  const eventBytesMax = flags["audit-log-truncate-max-event-size"];
  return withTruncation(batched, { eventBytesMax, annotation: truncatedKey(vocabulary), print, metrics });
}

async function writeAll(sink: AuditSink, events: readonly AuditEvent[]): Promise<void> {
  for (const event of events) await sink.write(event);
}

async function openFile(path: string, flags: ApiServerFlags, clock: Clock, log: Log): Promise<LogFile> {
  try {
    return await openLogFile({
      path,
      bytesMax: flags["audit-log-maxsize"] * 1024 * 1024 || usualBytesMax,
      backupsMax: flags["audit-log-maxbackup"],
      ageMsMax: daysMs(flags["audit-log-maxage"]),
      compress: flags["audit-log-compress"],
      clock,
      log,
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FlagFileError(`--audit-log-path: ${path} cannot be written: ${reason}`, { cause });
  }
}

const standardOutput: LogFile = {
  append: (text) =>
    new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve()))),
  close: async () => {},
};

async function openWebhookSink(
  { flags, vocabulary, clock }: Parts,
  group: string,
  metrics: AuditMetrics,
): Promise<AuditSink> {
  const path = flags["audit-webhook-config-file"];
  const text = await readFlagFile("audit-webhook-config-file", path);
  const endpoint = useFlagFile("audit-webhook-config-file", path, () =>
    parseEndpoint(decodeYaml(Buffer.from(text)), readFileBeside(path)),
  );
  const version = versionOf("audit-webhook-version", flags["audit-webhook-version"], group);
  const print = (event: AuditEvent) => printEvent(event, group, version);
  const apiVersion = `${group}/${version}`;
  const backoffMs = flags["audit-webhook-initial-backoff"];
  const send = createWebhookPost({ post: createDelivery(endpoint), print, apiVersion, backoffMs, clock });
  const mode = flags["audit-webhook-mode"];
  const plain = createBlockingWebhookSink(send, mode === "blocking-strict", metrics);
  const sink = batchModes.includes(mode) ? batch("webhook", send, plain, flags, clock, metrics) : plain;
  if (!flags["audit-webhook-truncate-enabled"]) return sink;
  const eventBytesMax = flags["audit-webhook-truncate-max-event-size"];
  return withTruncation(sink, { eventBytesMax, annotation: truncatedKey(vocabulary), print, metrics });
}

const truncatedKey = (vocabulary: Vocabulary) => vocabulary.word("audit.orch.io/truncated");

/** Sends events to the backend of `inner` in batches; closing it closes `inner` too. */
function batch(
  name: "log" | "webhook",
  take: TakeBatch,
  inner: AuditSink,
  flags: ApiServerFlags,
  clock: Clock,
  metrics: AuditMetrics,
): AuditSink {
  const isThrottled = flags[`audit-${name}-batch-throttle-enable`];
  const batches = createBatchSink(name, take, {
    bufferSize: flags[`audit-${name}-batch-buffer-size`],
    sizeMax: flags[`audit-${name}-batch-max-size`],
    waitMs: flags[`audit-${name}-batch-max-wait`],
    perSecond: isThrottled ? flags[`audit-${name}-batch-throttle-qps`] : 0,
    burst: flags[`audit-${name}-batch-throttle-burst`],
    // Lines of a file keep their order; a service gets events with their times.
    concurrentMax: name === "log" ? 1 : webhookBatchesMax,
    clock,
    metrics,
  });
  return {
    ...batches,
    async close() {
      await batches.close();
      await inner.close();
    },
  };
}

/** The version may be given under the server's name of the group or under orch's own. */
function versionOf(flag: string, given: string, group: string): AuditVersion {
  const versions: readonly AuditVersion[] = ["v1", "v1beta1", "v1alpha1"];
  const found = versions.find((version) => [`${group}/${version}`, `audit.orch.io/${version}`].includes(given));
  if (found === undefined) {
    throw new FlagError(`--${flag} must be one of ${versions.map((version) => `${group}/${version}`).join(", ")}`);
  }
  return found;
}
