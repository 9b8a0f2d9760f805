/**
 * Programs that tests start trust the authorities that a test names. With a file of further ones in the environment, Node parses it at
 * every start: 65 ms for those of Debian, in hundreds of processes.
 */

delete process.env["NODE_EXTRA_CA_CERTS"];
