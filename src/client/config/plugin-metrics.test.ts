import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { issueAuthority, issueClient } from "../../main/pki/issue.ts";
import { createPluginMetrics } from "./plugin-metrics.ts";

test("reports how long the certificate of a plugin lasts, and the age of the replaced one", () => {
  const clock = createManualClock(Date.parse("2031-05-06T07:08:09Z"));
  const authority = issueAuthority("authority", clock);
  const issue = () => issueClient(authority, { commonName: "ann", organizations: [] }, clock).certificate;
  const metrics = createPluginMetrics(() => clock.now());
  const text = () => metrics.all.map((metric) => metric.text()).join("");
  const ttl = () =>
    Number(/^rest_client_exec_plugin_ttl_seconds (\S+)$/m.exec(text())?.[1]?.replace("+Inf", "Infinity"));
  expect(ttl()).toBe(Number.POSITIVE_INFINITY);

  const first = issue();
  metrics.replaced(first, "");
  const atFirst = ttl();
  expect(atFirst).toBeGreaterThan(3_600);
  expect(text()).toContain("rest_client_exec_plugin_certificate_rotation_age_count 0");

  clock.advance(7_200_000);
  expect(ttl()).toBe(atFirst - 7_200);
  metrics.replaced(issue(), first);
  expect(ttl()).toBe(atFirst);
  expect(text()).toContain('rest_client_exec_plugin_certificate_rotation_age_bucket{le="14400"} 1');

  metrics.replaced("not a certificate", "");
  expect(ttl()).toBe(atFirst);
});
