/** What the commands share that MCP clients connect to: the listener and the port flags. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { UsageError } from "../command.ts"
import { redactorLayer } from "../masking.ts"
import { visible } from "../output.ts"

const MAX_PORT = 65_535

const COMMANDS = new Set(["serve", "mcp-server"])

/** The values that a flag without one may be given all the same. */
const TRUTH = /^(?:true|false|yes|no|on|off|y|n)$/i

/** `-1` is meant as a number, and `--host` as a flag. */
const isValue = (word: string): boolean => !/^-\D/.test(word) && !TRUTH.test(word)

/**
 * Reads `--http PORT` and `--http=PORT` as `--http --port=PORT`: otherwise 0 or 1 would be taken for false or true. A word that is no number is
 * meant as a port as well, so that the error is about that.
 */
export const withPort = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.some((arg) => COMMANDS.has(arg))
    ? args.flatMap((arg, index) => {
        if (args[index - 1] === "--http" && isValue(arg)) return [`--port=${arg}`]
        const [, joined] = /^--http=(.+)$/s.exec(arg) ?? []
        return joined !== undefined && isValue(joined) ? ["--http", `--port=${joined}`] : [arg]
      })
    : args

export const httpFlag = Flag.Boolean("http").pipe(
  Flag.withDescription("Serve clients on a port of this machine instead of one client on stdin; a port may follow"),
  Flag.withDefault(false)
)

export const portFlag = (usual: number) =>
  Flag.String("port").pipe(
    Flag.withMetavar("PORT"),
    Flag.withDescription(`The port of --http, ${usual} without it; 0 means any free port`),
    Flag.optional
  )

export const portOf = (
  http: boolean,
  given: Option.Option<string>,
  usual: number
): Effect.Effect<number, UsageError> => {
  if (Option.isNone(given)) return Effect.succeed(usual)
  const text = given.value
  const port = Number(text)
  const isPort = /^\d+$/.test(text) && port <= MAX_PORT
  if (isPort && http) return Effect.succeed(port)
  if (isPort) return new UsageError({ message: `--port is for --http: write --http ${text}` })
  const address = /[.:]\D*\d/.test(text) ? "; the address to listen on is set with --host" : ""
  return new UsageError({
    message: `${visible(text)} is not a port: write --http with 0, for any free one, to ${MAX_PORT}${address}`
  })
}

/** Used before any configuration is read: text from clients is cleaned, but there are no secrets to mask yet. */
export const listenerLayer = Layer.unwrap(
  Effect.map(
    Effect.promise(() =>
      Promise.all([
        import("../../../layers/listener/McpListener.ts"),
        import("../../../layers/content/ContentSanitizer.ts")
      ])
    ),
    ([listener, sanitizer]) => listener.layer.pipe(Layer.provide(sanitizer.layer), Layer.provide(redactorLayer))
  )
)
