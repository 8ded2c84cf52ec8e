/** What a command that starts servers for itself alone does not say. Pure. */
import type { StatusMap } from "../../../schemas/content/Rendering.ts"

/** The servers of a command end with it, so it does not say when they are tried again. Only a running gateway has a `configuration`. */
export const statusOf = (
  runtime: { readonly agent: string; readonly configuration?: unknown },
  servers: StatusMap
): StatusMap =>
  runtime.configuration === undefined
    ? Object.fromEntries(Object.entries(servers).map(([name, status]) => [name, { ...status, retryInMs: undefined }]))
    : servers
