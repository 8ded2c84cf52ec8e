/** Finds the configuration file: the one that was named, else the first that exists in the usual places. */
import * as Effect from "effect/Effect"
import { stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { PLACES_HERE } from "../../../schemas/config/ConfigPlaces.ts"
import type { ConfigError } from "../../../schemas/config/ConfigError.ts"
import type { Environment } from "../../../schemas/config/Interpolation.ts"
import { expandHome } from "../../../schemas/config/Resolve.ts"
import { failWith, shownPath } from "../../../system/configFile.ts"
import { codeOf } from "../../../system/ownFiles.ts"

export interface Search {
  readonly path: string | undefined
  readonly cwd: string
  readonly env: Environment
  readonly home: string
}

type Surroundings = Omit<Search, "path">

/** In the data directory, so it is found from any current directory. */
export const ownPlace = ({ cwd, env, home }: Surroundings): string =>
  env["MCP_LIVE_HOME"]
    ? join(resolve(cwd, expandHome(env["MCP_LIVE_HOME"], home)), "openclaw.json")
    : join(home, ".mcp-live", "openclaw.json")

const usualPlaces = (search: Surroundings): ReadonlyArray<string> => [
  ...PLACES_HERE.map((name) => join(search.cwd, name)),
  ownPlace(search),
  join(search.home, ".openclaw", "openclaw.json")
]

const absoluteIn = ({ cwd, home }: Surroundings, named: string) => resolve(cwd, expandHome(named, home))

/** Where the configuration may be, whether or not it is there: the one that is named, or all that are searched. */
export const places = (search: Search): ReadonlyArray<string> => {
  const named = search.path ?? (search.env["MCP_LIVE_CONFIG"] || undefined)
  return named === undefined ? usualPlaces(search) : [absoluteIn(search, named)]
}

/** A file that exists but is unusable is not skipped: reading it gives the reason. */
const exists = (file: string): Effect.Effect<boolean> =>
  Effect.tryPromise({
    try: () => stat(file),
    catch: codeOf
  }).pipe(
    Effect.as(true),
    Effect.catch((code) => Effect.succeed(code !== "ENOENT" && code !== "ENOTDIR"))
  )

/** The file; `undefined` if none was named and none is in the usual places. */
export const find = Effect.fnUntraced(function* (search: Search): Effect.fn.Return<string | undefined, ConfigError> {
  const { env, path } = search
  if (path !== undefined) return absoluteIn(search, path)
  const fromEnv = env["MCP_LIVE_CONFIG"]
  if (fromEnv) {
    const file = absoluteIn(search, fromEnv)
    return (yield* exists(file)) ? file : yield* failWith(file, "there is no such file; MCP_LIVE_CONFIG names it")
  }
  for (const place of usualPlaces(search)) if (yield* exists(place)) return place
  return undefined
})

export const locate = Effect.fnUntraced(function* (search: Search): Effect.fn.Return<string, ConfigError> {
  const found = yield* find(search)
  if (found !== undefined) return found
  const searched = usualPlaces(search)
    .map((place) => shownPath(search.cwd, place))
    .join(", ")
  return yield* failWith(
    "",
    `no configuration found: looked for ${searched}; 'mcp-live init' makes one, or name a file with --config or MCP_LIVE_CONFIG`
  )
})
