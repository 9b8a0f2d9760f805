/** Nothing is wrong: what a controller waits for has not come yet, and it looks again later. */
export class TryAgain extends Error {}
