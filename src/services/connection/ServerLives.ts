/** Remembers the states that servers were in, so that a person can see later when one was down, and why. */
import * as Context from "effect/Context"
import type { Lives, Moved } from "../../schemas/control/Lives.ts"

/** Optional: programs that stay provide it. */
export class ServerLives extends Context.Service<
  ServerLives,
  Pick<Lives, "states" | "timeline"> & {
    /** Returns at once. */
    readonly moved: (moved: Omit<Moved, "at">) => void
    /** A number for a process that begins. */
    readonly begin: () => number
  }
>()("mcp-live/services/ServerLives") {}
