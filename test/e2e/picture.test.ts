import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { run } from "./programs.ts";

/** What is another in every run: the port, suffixes of names and ages. */
const steady = (picture: string): string =>
  picture
    .replace(/127\.0\.0\.1:\d+/, "127.0.0.1:PORT")
    .replace(/-[a-z0-9]{10}(-[a-z0-9]{5})?/g, "-SUFFIX")
    .replace(/ +\d+s\b/g, " AGE")
    .replace(/width="\d+" height="\d+" viewBox="[^"]+"/, "");

test("the picture of the README shows the current output of a session", async () => {
  const { code, stdout, stderr } = await run(process.execPath, ["scripts/picture.mjs", "--print"], {
    timeoutMs: 60_000,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(steady(stdout)).toBe(steady(readFileSync("docs/picture.svg", "utf8")));
});
