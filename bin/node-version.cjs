// Refuses a Node that is too old, in words: what follows would fail with a function that is not there.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node 20.19 or newer is needed, and this is ${process.versions.node}: install one, or choose it (nvm use 22)`,
  );
  process.exit(1);
}
