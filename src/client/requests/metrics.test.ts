import { expect, test } from "vitest";
import { createClientMetrics, pathTemplate } from "./metrics.ts";

const paths: readonly [path: string, template: string][] = [
  ["/api/v1/namespaces/shop/pods/web-1?x=y", "/api/v1/namespaces/{namespace}/pods/{name}"],
  ["/api/v1/namespaces/shop/pods", "/api/v1/namespaces/{namespace}/pods"],
  ["/api/v1/namespaces/shop", "/api/v1/namespaces/{name}"],
  ["/api/v1/namespaces/shop/finalize", "/api/v1/namespaces/{name}/finalize"],
  ["/apis/apps/v1/deployments?watch=true", "/apis/apps/v1/deployments"],
  ["/apis/apps/v1/namespaces/a/deployments/b/scale/c", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"],
  ["/apis", "/apis"],
  ["/healthz/ping", "/healthz"],
];
for (const [path, template] of paths) {
  test(`${path} counts as ${template}`, () => expect(pathTemplate(path)).toBe(template));
}

test("requests are counted by code, host and method, failures too", () => {
  const { all, observer } = createClientMetrics();
  const observe = observer("127.0.0.1:6443");
  observe("GET", "/api/v1/pods", 200, 5);
  observe("GET", "/api/v1/pods", undefined, 5);
  const text = all.map((metric) => metric.text()).join("");
  expect(text).toContain('rest_client_requests_total{code="200",host="127.0.0.1:6443",method="GET"} 1');
  expect(text).toContain('rest_client_requests_total{code="<error>",host="127.0.0.1:6443",method="GET"} 1');
  expect(text).toContain('_bucket{verb="GET",url="https://127.0.0.1:6443/api/v1/pods",le="0.008"} 2');
});
