// How do I put the API into an app that knows its users already? The app says who they are; roles say what they may.
import type { OrchServer } from "orch";

/** Stands for the sessions of the app. */
const sessions: Readonly<Record<string, { readonly user: string; readonly teams: readonly string[] }>> = {
  s1: { user: "ann", teams: ["shop"] },
  s2: { user: "bob", teams: [] },
};

/** What is under /cluster is the API; the rest is the app. */
export function createApp(server: OrchServer): (request: Request) => Promise<Response> {
  const cluster = server.handler({
    prefix: "/cluster",
    authenticate(request) {
      const session = sessions[/session=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? ""];
      return session && { name: session.user, groups: session.teams };
    },
  });
  return async (request) =>
    new URL(request.url).pathname.startsWith("/cluster/") ? cluster(request) : new Response("the shop");
}
