import type { AnObject, ApiObject, CreateServerOptions, JournalEntry, JournalQuery, Loadable, NamedKind, OrchServer, RecordedChange, UntilOptions } from "./shared.js";
export { CreateServerOptions, OrchServer } from "./shared.js";
export declare function expectAnswer<T = unknown>(answer: Response | Promise<Response>, code?: number): Promise<T>;
export declare function expectChanges(server: Pick<OrchServer, "history">, kind: NamedKind | string, name: string, expected: readonly object[]): Promise<readonly RecordedChange[]>;
export declare function expectGone(server: OrchServer, kind: NamedKind | string, name: string, options?: UntilOptions): Promise<void>;
export declare function expectObject<T extends AnObject = ApiObject>(server: OrchServer, kind: NamedKind<T> | string, name: string, expected?: object, options?: UntilOptions): Promise<T>;
export declare function expectRequests(server: Pick<OrchServer, "journal">, query: JournalQuery, count?: number): readonly JournalEntry[];
export declare const matchers: {
    toHaveObject: (server: OrchServer, kind: NamedKind | string, name: string, expected?: object, options?: UntilOptions) => Promise<Outcome>;
    toHaveRequested: (server: OrchServer, query: JournalQuery, count?: number) => Outcome;
    toBeAnswered: (answer: Response | Promise<Response>, code?: number) => Promise<Outcome>;
};
interface Outcome {
    readonly pass: boolean;
    message(): string;
}
export interface OrchMatchers<R = unknown> {
    toHaveObject(kind: NamedKind | string, name: string, expected?: object, options?: UntilOptions): Promise<R>;
    toHaveRequested(query: JournalQuery, count?: number): R;
    toBeAnswered(code?: number): Promise<R>;
}
export declare function globalSetup(options?: TestServerOptions): () => Promise<() => Promise<void>>;
export interface TestServerOptions extends Omit<CreateServerOptions, "dataDir" | "listen" | "port"> {
    readonly load?: Loadable;
    readonly prepare?: (server: OrchServer) => void | Promise<void>;
}
export declare function globalTeardown(): Promise<void>;
export interface ServerFixture {
    server(others: object, use: (server: OrchServer) => Promise<void>): Promise<void>;
}
export declare function serverFixture(options?: TestServerOptions): ServerFixture;
export declare function serverForEach({ beforeEach, afterEach }: Hooks, options?: TestServerOptions): () => OrchServer;
interface Hooks {
    beforeEach(hook: () => Promise<void>): void;
    afterEach(hook: () => Promise<void>): void;
}
export declare function serverOf(context: TestContext, options?: TestServerOptions): Promise<OrchServer>;
type TestContext = {
    after(close: () => Promise<void>): void;
} | {
    onTestFinished(close: () => Promise<void>): void;
};
export declare function withServer<T>(options: TestServerOptions, test: (server: OrchServer) => T | Promise<T>): Promise<Awaited<T>>;
export {};
