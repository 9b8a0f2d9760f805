/** The pictures of the console: each is an address, what waits until it is there, and what is done before it is taken. */

/** Those that docs/console.md shows. The others are taken for people who look at everything. */
export const documented = new Set(["overview", "objects", "pod", "relations", "history", "completion", "requests"]);

/** `find` makes the address, because names of pods are chosen by the server. */
export const pictures = [
  { name: "overview", hash: "#/overview", shows: "CrashLoopBackOff" },
  { name: "objects", hash: "#/objects/core/v1/pods", shows: "live" },
  { name: "pod", find: (pod) => `#/object/core/v1/pods/shop/${pod("checkout")}`, shows: "Containers" },
  { name: "relations", find: (pod) => `#/object/core/v1/pods/shop/${pod("web")}?part=relations`, shows: "Refresh" },
  { name: "history", hash: "#/object/apps/v1/deployments/shop/cart?part=history", shows: "spec.replicas" },
  { name: "logs", hash: "#/object/apps/v1/deployments/shop/web?part=logs", shows: "GET /cart" },
  { name: "yaml", hash: "#/object/apps/v1/deployments/shop/web?part=yaml", shows: "apiVersion" },
  { name: "server", hash: "#/server", shows: "checks pass" },
  { name: "rollout", hash: "#/object/apps/v1/deployments/shop/cart", shows: "Rollout" },
  { name: "node", hash: "#/object/core/v1/nodes/-/node-4", shows: "Capacity" },
  { name: "custom", hash: "#/objects/example.com/v1/databases", shows: "live" },
  { name: "access", hash: "#/access", shows: "Check access" },
  { name: "create", hash: "#/create/apps/v1/deployments/shop", shows: "Try" },
  { name: "completion", hash: "#/create", shows: "Try", act: completeField },
  { name: "requests", hash: "#/requests?target=deployments", shows: "live", act: openRequest },
  { name: "testing", hash: "#/testing", shows: "node-1" },
];

async function completeField(page) {
  const editor = page.locator("textarea").first();
  await editor.fill("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cart\nspec:\n  ");
  await editor.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("re");
  await page.getByRole("option", { name: "replicas" }).waitFor();
}

async function openRequest(page) {
  await page
    .getByRole("row", { name: /admin patch 200/ })
    .first()
    .getByRole("button")
    .click();
  await page.getByRole("region", { name: "Admission" }).waitFor();
}
