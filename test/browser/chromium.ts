/** A real browser for tests: Debian's Chromium, headless. */

import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";

const chromium = "/usr/bin/chromium";

/** Why there is no browser here; undefined: there is one. */
export const missingBrowser: string | undefined = !existsSync(chromium)
  ? "Chromium is missing: node scripts/provide.mjs installs it"
  : !existsSync("node_modules/playwright-core")
    ? "playwright-core is missing: run npm ci"
    : !existsSync("dist/console/app.js")
      ? "the console is not built: run npm run build"
      : undefined;

export async function openBrowser(): Promise<Browser> {
  const playwright = await import("playwright-core");
  return playwright.chromium.launch({
    executablePath: chromium,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
