/**
 * Draws docs/picture.svg, the picture of the README, from the real output of a session: node scripts/picture.mjs
 *
 * With --print the picture goes to standard output.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const session = [
  "orch up --nodes=3 --detach",
  "ctl create deployment web --image=nginx --replicas=3",
  "ctl get deployments,pods",
  "ctl tree deployment web",
  "ctl explain deployment.spec.replicas",
  "ctl auth can-i delete pods --as jane",
];

/** Runs the session on a server of its own, which has ended when it returns. */
async function runSession() {
  const folder = mkdtempSync(join(tmpdir(), "orch-picture-"));
  const env = { ...process.env, NO_COLOR: "1", KUBECONFIG: join(folder, ".orch/admin.conf") };
  const run = ([program, ...args]) => {
    try {
      return execFileSync(process.execPath, [join(root, "bin", program), ...args], {
        cwd: folder,
        env,
        encoding: "utf8",
      });
    } catch (error) {
      return error.stdout; // can-i says no with its exit code as well
    }
  };
  try {
    const shown = [];
    for (const line of session) {
      const command = line.split(" ");
      const isStart = command[0] === "orch";
      const output = run(isStart ? [...command, "--secure-port=0"] : command);
      shown.push({ line, output: isStart ? output.replace(/, process .*/s, "") : output.trimEnd() });
      // A person sees what the controllers and nodes made of it by the time the next command is typed.
      if (line.includes("create"))
        await until(() => run(["ctl", "get", "deployment", "web", "-o=jsonpath={.status.readyReplicas}"]) === "3");
    }
    return shown;
  } finally {
    run(["orch", "stop"]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function until(isTrue) {
  while (!isTrue()) await sleep(200);
}

const [fontPx, lineHeightPx, charWidthPx, marginPx] = [14, 20, 8.4, 20];

/** The steps of the session appear one after the other, once; whoever asked for less motion sees all of them at once. */
const style = `<style>
  text { white-space: pre; }
  g g { animation: appear 0.3s both; animation-delay: calc(var(--step) * 1.5s); }
  @keyframes appear { from { opacity: 0; } }
  @media (prefers-reduced-motion: reduce) { g g { animation: none; } }
</style>`;

/** Words that a terminal colours. */
const colours = [
  [/\b(Running|Available=True|\d+\/\d+)(?=\s|$)/g, "#3fb950"],
  [/^(no)$/g, "#ff7b72"],
  [/^(KIND|VERSION|FIELD|DESCRIPTION|NAME.*)(?=:|$)/g, "#8b949e"],
];

function draw(shown) {
  const steps = shown.map(({ line, output }) => [`$ ${line}`, ...output.split("\n"), ""]);
  const all = steps.flat().slice(0, -1);
  const width = Math.ceil(Math.max(...all.map((text) => text.length)) * charWidthPx + 2 * marginPx);
  const height = all.length * lineHeightPx + 2 * marginPx;
  let row = 0;
  const groups = steps.map((rows, step) => {
    const lines = rows.map((text, at) => drawLine(text, row++, at === 0)).filter((line) => !line.endsWith('"></text>'));
    return `  <g style="--step: ${step}">\n${lines.join("\n")}\n  </g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A first session with orch">
${style}
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${fontPx}" fill="#e6edf3" xml:space="preserve">
${groups.join("\n")}
</g>
</svg>
`;
}

function drawLine(text, row, isCommand) {
  const y = marginPx + fontPx + row * lineHeightPx;
  const colour = isCommand ? ' fill="#79c0ff"' : "";
  const drawn = colours.reduce(
    (drawing, [words, fill]) => drawing.replace(words, `<tspan fill="${fill}">$1</tspan>`),
    escapeXml(text),
  );
  return `    <text x="${marginPx}" y="${y}"${colour}>${isCommand ? escapeXml(text) : drawn}</text>`;
}

const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const picture = draw(await runSession());
if (process.argv.includes("--print")) process.stdout.write(picture);
else writeFileSync(join(root, "docs/picture.svg"), picture);
