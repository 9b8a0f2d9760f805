/** Where a list goes on. */

/** A server that answers with the token it was sent would be asked for ever. */
export function tokenAfter(sent: string, received: string): string {
  if (received !== "" && received === sent)
    throw new Error("the server ends a chunk of a list with the continue token that it was sent");
  return received;
}
