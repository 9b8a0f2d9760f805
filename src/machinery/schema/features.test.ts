import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bindFeatures, features, featuresAt, hasAt } from "./features.ts";

const source = new URL("../../", import.meta.url).pathname;

function textOf(room: string): string {
  const files = readdirSync(join(source, room), { recursive: true, encoding: "utf8" });
  return files
    .filter(
      (file) =>
        file.endsWith(".ts") && !/\.(test|suite|fixture)\.ts$/.test(file) && !file.endsWith("schema/features.ts"),
    )
    .map((file) => readFileSync(join(source, room, file), "utf8"))
    .join("\n");
}

describe("a feature of the engine", () => {
  const texts = new Map<string, string>();
  const asks = (room: string, name: string) => {
    const text = texts.get(room) ?? textOf(room);
    texts.set(room, text);
    const isAsked = ["has(", "has?.("].some((call) => text.includes(`${call}"${name}")`));
    return isAsked || text.includes(`has.${name}`) || text.includes(`ownsWith: "${name}"`);
  };

  test.each(Object.entries(features))("%s is asked for by the rooms that its row names", (name, { by }) => {
    expect(by.split(", ").filter((room) => !asks(room, name))).toEqual([]);
  });

  test("is there from its first release until its last", () => {
    const rows = { came: { since: "1.30" }, went: { until: "1.30" } } as const;
    expect(bindFeatures("1.29", rows)).toEqual({ came: false, went: true });
    expect(bindFeatures("1.30", rows)).toEqual({ came: true, went: false });
  });

  test("is bound once for all servers of a level", () => {
    expect(featuresAt("1.28")).toBe(featuresAt("1.28"));
    expect([hasAt("1.26")("indicators"), hasAt("1.27")("indicators")]).toEqual([false, true]);
  });
});
