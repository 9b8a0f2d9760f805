// Stands in for etcd: answers the health checks of test tools and keeps nothing. Small, since it must start in no time.
const { createServer } = require("node:http");

const parentCheckMs = 500;
const answers = {
  "/health": '{"health":"true","reason":""}',
  "/readyz": "ok",
  "/livez": "ok",
  "/version": '{"etcdserver":"3.5.0","etcdcluster":"3.5.0"}',
};

/** The value of `--name=value` or `--name value`; the last one counts. */
function flag(name, fallback) {
  let value = fallback;
  process.argv.forEach((argument, at) => {
    const bare = argument.replace(/^--?/, "");
    if (bare === name) value = process.argv[at + 1] ?? "";
    else if (bare.startsWith(`${name}=`)) value = bare.slice(name.length + 1);
  });
  return value;
}

function fail(message) {
  console.error(`etcd: ${message}`);
  process.exit(1);
}

function listen(text) {
  const url = URL.canParse(text) ? new URL(text) : fail(`--listen-client-urls: "${text}" is not a URL`);
  if (url.protocol !== "http:") fail(`--listen-client-urls: ${text}: only http is served here`);
  const server = createServer((request, response) => {
    const known = answers[new URL(request.url ?? "/", "http://localhost").pathname];
    const reason = "this stands in for etcd and keeps nothing; orch keeps its objects itself\n";
    const type = known?.startsWith("{") ? "application/json" : "text/plain";
    response.writeHead(known === undefined ? 501 : 200, { "content-type": type }).end(known ?? reason);
  });
  server.on("error", (error) => fail(error.message));
  server.listen(Number(url.port || 80), url.hostname.replace(/^\[|\]$/g, ""));
}

flag("listen-client-urls", "http://localhost:2379").split(",").forEach(listen);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => process.exit(0));
// A test that was killed sends no signal.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.exit(0), parentCheckMs);
