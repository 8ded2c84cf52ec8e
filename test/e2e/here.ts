/** Runs `mcp-live` in the test's own process. */
import type * as Effect from "effect/Effect"
import { runAt } from "../support/cli.ts"
import { type Finished, PLAIN, PROJECT } from "./program.ts"

/**
 * Runs the program to its end in the test's own process, which takes a tenth of the time. For variants of what a real run of the same
 * file has shown; one at a time.
 */
export const runHere = (
  args: ReadonlyArray<string>,
  { cwd = PROJECT, env }: { readonly env?: Record<string, string>; readonly cwd?: string } = {}
): Effect.Effect<Finished> => runAt({ cwd, env: { ...PLAIN, ...env } }, ...args)
