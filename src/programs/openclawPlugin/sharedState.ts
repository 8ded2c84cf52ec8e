/**
 * State of the process. OpenClaw evaluates the module of a plugin several times, from copies, and may call the tool of one copy and
 * the hooks of another: only `globalThis` is the same for all of them.
 */
export const sharedState = <A>(name: string, make: () => A): A =>
  ((globalThis as Record<symbol, unknown>)[Symbol.for(`mcp-live/openclaw-plugin/${name}`)] ??= make()) as A
