import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "./programs.ts";

describe("the program that the build has compiled", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-compiled-"));
    for (const name of ["bin", "dist", "package.json"])
      await cp(resolve(name), join(folder, name), { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const print = `import(process.argv[1]).then(({ loadCompiled }) => console.log(typeof loadCompiled()?.main))`;
  const isCompiled = async (before = "") => {
    const { stdout, stderr } = await run(process.execPath, ["-e", before + print, join(folder, "bin/compiled.cjs")]);
    expect(stderr).toBe("");
    return stdout.trim() === "function";
  };
  test("says which Node is needed when it is an older one", async () => {
    const older = join(folder, "older.cjs");
    await writeFile(
      older,
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } });`,
    );
    for (const program of ["bin/orch", "bin/ctl"]) {
      const { code, stderr } = await run(process.execPath, ["-r", older, join(folder, program), "version"]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Node 20\.19 or newer is needed, and this is 18\.20\.4: .*\n$/);
    }
  });

  const version = () => run(process.execPath, [join(folder, "bin/orch"), "version"]);

  test("is used by the command, without a message", async () => {
    expect(await isCompiled()).toBe(true);
    const { code, stdout, stderr } = await version();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^orch \d/);
  });

  test("is used by a program that imports the library", async () => {
    const use = `import(process.argv[1]).then(async ({ createServer }) => {
      const server = await createServer();
      console.log((await server.fetch("/readyz")).status);
      await server.close();
    })`;
    const { stdout, stderr } = await run(process.execPath, ["-e", use, join(folder, "dist/library.js")]);
    expect({ stdout, stderr }).toEqual({ stdout: "200\n", stderr: "" });
  });

  test("is used by a CommonJS program that requires the library, compiled or not", async () => {
    const use = `require(process.argv[1]).createServer().then(async (server) => {
      console.log((await server.fetch("/readyz")).status);
      await server.close();
    })`;
    for (const file of ["dist/library.cjs", "dist/library-plain.cjs"]) {
      const { stdout, stderr } = await run(process.execPath, ["-e", use, join(folder, file)]);
      expect({ file, stdout, stderr }).toEqual({ file, stdout: "200\n", stderr: "" });
    }
  });

  test("is ignored if it was made on another machine or by another Node", async () => {
    for (const [name, other] of [
      ["arch", "riscv64"],
      ["platform", "plan9"],
      ["version", "v20.0.0"],
    ])
      expect(await isCompiled(`Object.defineProperty(process, "${name}", { value: "${other}" });`), name).toBe(false);
  });

  test("is ignored if it is damaged or missing", async () => {
    const file = join(folder, "dist/compiled/orch.v8");
    const whole = await readFile(file);
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(whole.length >> 1) ^ 0xff, whole.length >> 1);
    for (const damaged of [flipped, whole.subarray(0, whole.length >> 1), Buffer.alloc(0)]) {
      await writeFile(file, damaged);
      expect(await isCompiled()).toBe(false);
    }
    expect((await version()).stdout).toMatch(/^orch \d/);
    await rm(file);
    expect(await isCompiled()).toBe(false);
    const plain = `import(process.argv[1]).then(({ createServer }) => console.log(typeof createServer))`;
    const { stdout } = await run(process.execPath, ["-e", plain, join(folder, "dist/library.js")]);
    expect(stdout).toBe("function\n");
  });
});
