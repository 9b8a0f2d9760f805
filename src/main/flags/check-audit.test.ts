import { expect, test } from "vitest";
import { parseFlags } from "../../base/flags/parse.ts";
import { apiserverFlags } from "./apiserver-flags.ts";
import { checkAuditFlags } from "./check-audit.ts";

const check = (...args: string[]) => checkAuditFlags(parseFlags(apiserverFlags, args).values);
const log = "--audit-log-path=-";
const webhook = "--audit-webhook-config-file=hook.yaml";

test("the defaults are those of v1.21", () => {
  const { values } = parseFlags(apiserverFlags, []);
  const audit = Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith("audit-")));
  expect(audit).toEqual({
    "audit-policy-file": "",
    "audit-credentials": false,
    "audit-log-path": "",
    "audit-log-format": "json",
    "audit-log-mode": "blocking",
    "audit-log-version": "audit.orch.io/v1",
    "audit-log-maxsize": 0,
    "audit-log-maxbackup": 0,
    "audit-log-maxage": 0,
    "audit-log-compress": false,
    "audit-log-truncate-enabled": false,
    "audit-log-truncate-max-event-size": 102_400,
    "audit-log-truncate-max-batch-size": 10_485_760,
    "audit-log-batch-buffer-size": 10_000,
    "audit-log-batch-max-size": 1,
    "audit-log-batch-max-wait": 0,
    "audit-log-batch-throttle-enable": false,
    "audit-log-batch-throttle-qps": 0,
    "audit-log-batch-throttle-burst": 0,
    "audit-webhook-config-file": "",
    "audit-webhook-mode": "batch",
    "audit-webhook-version": "audit.orch.io/v1",
    "audit-webhook-initial-backoff": 10_000,
    "audit-webhook-truncate-enabled": false,
    "audit-webhook-truncate-max-event-size": 102_400,
    "audit-webhook-truncate-max-batch-size": 10_485_760,
    "audit-webhook-batch-buffer-size": 10_000,
    "audit-webhook-batch-max-size": 400,
    "audit-webhook-batch-max-wait": 30_000,
    "audit-webhook-batch-throttle-enable": true,
    "audit-webhook-batch-throttle-qps": 10,
    "audit-webhook-batch-throttle-burst": 15,
  });
});

test.each<[string[], string]>([
  [
    [log, "--audit-log-mode=batch", "--audit-log-batch-buffer-size=0"],
    "invalid audit batch log buffer size 0, must be a positive number",
  ],
  [
    [log, "--audit-log-mode=batch", "--audit-log-batch-max-size=-1"],
    "invalid audit batch log max batch size -1, must be a positive number",
  ],
  [
    [log, "--audit-log-mode=batch", "--audit-log-batch-throttle-enable"],
    "invalid audit batch log throttle QPS 0, must be a positive number",
  ],
  [
    [webhook, "--audit-webhook-batch-throttle-burst=0"],
    "invalid audit batch webhook throttle burst 0, must be a positive number",
  ],
  [
    [webhook, "--audit-webhook-truncate-max-event-size=0"],
    "invalid audit truncate webhook max event size 0, must be a positive number",
  ],
  [
    [log, "--audit-log-truncate-max-batch-size=100"],
    "invalid audit truncate log max batch size 100, must be greater than max event size (102400)",
  ],
])("%j is refused", (args, problem) => {
  expect(() => check(...args)).toThrow(problem);
});

test.each<[string[]]>([
  [[]],
  [[log]],
  [[webhook]],
  [["--audit-log-batch-buffer-size=0", "--audit-webhook-batch-buffer-size=0"]],
  [[log, "--audit-log-batch-buffer-size=0"]],
  [[webhook, "--audit-webhook-mode=blocking", "--audit-webhook-batch-throttle-qps=0"]],
  [[webhook, "--audit-webhook-batch-throttle-enable=false", "--audit-webhook-batch-throttle-qps=0"]],
])("%j is accepted: flags of an unused backend are not checked", (args) => {
  expect(() => check(...args)).not.toThrow();
});
