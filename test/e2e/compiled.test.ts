import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "./programs.ts";

describe("the program, compiled ahead by the build", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-compiled-"));
    for (const name of ["bin", "dist", "package.json"])
      await cp(resolve(name), join(folder, name), { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const print = `import(process.argv[1]).then(({ loadCompiled }) => console.log(typeof loadCompiled()?.main))`;
  const isCompiled = async () => {
    const { stdout, stderr } = await run(process.execPath, ["-e", print, join(folder, "bin/compiled.mjs")]);
    expect(stderr).toBe("");
    return stdout.trim() === "function";
  };
  const version = () => run(process.execPath, [join(folder, "bin/orch"), "version"]);

  test("is what the command runs, without a word about it", async () => {
    expect(await isCompiled()).toBe(true);
    const { code, stdout, stderr } = await version();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^orch \d/);
  });

  test("is what a program gets that imports the library", async () => {
    const use = `import(process.argv[1]).then(async ({ createServer }) => {
      const server = await createServer();
      console.log((await server.fetch("/readyz")).status);
      await server.close();
    })`;
    const { stdout, stderr } = await run(process.execPath, ["-e", use, join(folder, "dist/library.js")]);
    expect({ stdout, stderr }).toEqual({ stdout: "200\n", stderr: "" });
  });

  test("is passed over when it is of another Node, of another text, or gone", async () => {
    const compiled = join(folder, "dist/compiled");
    const [kept = ""] = (await readdir(compiled)).filter((name) => name.endsWith(".v8"));
    await writeFile(join(compiled, kept), Buffer.alloc(100_000, 7));
    expect(await isCompiled()).toBe(false);
    expect((await version()).stdout).toMatch(/^orch \d/);
    await rm(join(compiled, kept));
    expect(await isCompiled()).toBe(false);
    expect((await version()).stdout).toMatch(/^orch \d/);
    const plain = `import(process.argv[1]).then(({ createServer }) => console.log(typeof createServer))`;
    const { stdout } = await run(process.execPath, ["-e", plain, join(folder, "dist/library.js")]);
    expect(stdout).toBe("function\n");
  });
});
