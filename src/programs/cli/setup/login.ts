/**
 * `mcp-live login` and `logout`. What a person has to see goes to stderr: stdout has the outcome, and with `--json` nothing
 * but one document. No token is ever shown.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { createInterface } from "node:readline"
import { REDIRECT_PORT_MIN } from "../../../schemas/defaults/Authorization.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../../schemas/defaults/Results.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { formatIssue } from "../../../schemas/config/ConfigIssue.ts"
import { givenServer } from "../servers/givenServer.ts"
import type { Granted, LoggedOut, LoginFailed, LoginPage } from "../../../schemas/login/Login.ts"
import { nearest } from "../../../schemas/call/Names.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { UnknownAgent } from "../../../schemas/call/UnknownAgent.ts"
import { Authorizer } from "../../../services/login/Authorizer.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import { openBrowser } from "../questions/browser.ts"
import { EXIT_FAILED, ExitWith, root, UsageError, withLogLevel } from "../command.ts"
import { redactorLayer } from "../masking.ts"
import { complain, print, printJson, visible } from "../output.ts"
import { untilStopped } from "../signals.ts"
import { layerUnconfigured } from "./unconfigured.ts"

// ---- which server --------------------------------------------------------------------------------------------------

/** Of the agent that is meant, else of whichever has it: a login is the server's. */
const findServer = Effect.fnUntraced(function* (
  { agents, defaultAgent }: GatewayConfig,
  name: string,
  agent: Option.Option<string>
) {
  const chosen = Option.getOrElse(agent, () => defaultAgent)
  const known = agents.map(({ id }) => id)
  if (!known.includes(chosen)) return yield* new UnknownAgent({ agent: chosen, known })
  const inOrder = [...agents.filter(({ id }) => id === chosen), ...agents.filter(({ id }) => id !== chosen)]
  const servers = (Option.isSome(agent) ? inOrder.slice(0, 1) : inOrder).flatMap((each) => each.servers)
  const found = servers.find((server) => server.name === name)
  if (found !== undefined) return found
  const names = [...new Set(servers.map((server) => server.name))]
  const near = nearest(name, names)
  const hint = near === null ? `there are: ${names.join(", ") || "none"}` : `did you mean '${near}'?`
  return yield* new UsageError({ message: `there is no server '${visible(name)}'; ${hint}` })
})

/** One that needs no configuration: what `mcp-live serve --url` serves. */
const atAddress = (address: string): ServerConfig | undefined => {
  if (!/^https?:\/\//i.test(address)) return undefined
  const given = { command: [], url: address, headers: [], env: [], allowPrivate: false, cwd: undefined }
  return Option.getOrUndefined(Result.getSuccess(givenServer(given, {})))
}

/** Nothing is started for it. */
const withServer = (
  name: string,
  use: (server: ServerConfig, authorizer: Authorizer["Service"]) => Effect.Effect<void, LoginFailed>
) =>
  Effect.gen(function* () {
    const { agent, config } = yield* root
    const { LoginLive } = yield* Effect.promise(() => import("../../../layers/McpLive.ts"))
    const given = atAddress(name)
    const unread = Option.isNone(config) && given !== undefined
    const body = Effect.gen(function* () {
      const loaded = yield* (yield* ConfigSource).load
      const server = given ?? (yield* findServer(loaded, name, agent))
      if (server.fault !== undefined) return yield* new UsageError({ message: formatIssue(server.fault) })
      return yield* use(server, yield* Authorizer)
    })
    return yield* body.pipe(
      Effect.catchTag("LoginFailed", explain),
      Effect.provide(
        LoginLive({
          config: Option.getOrUndefined(config),
          replace: { redactor: redactorLayer, ...(unread ? { config: layerUnconfigured } : {}) }
        })
      ),
      untilStopped,
      withLogLevel("Warn")
    )
  })

const explain = Effect.fnUntraced(function* (error: LoginFailed) {
  const { json } = yield* root
  const sanitizer = yield* ContentSanitizer
  const message = sanitizer.label(error.message, ERROR_TEXT_MAX_CHARS)
  yield* json ? printJson({ error: { tag: error._tag, message } }) : complain(message)
  return yield* new ExitWith({ code: EXIT_FAILED })
})

// ---- the person ----------------------------------------------------------------------------------------------------

/** The first line that is typed; never, where nobody types. */
const readLine = Effect.callback<string>((resume) => {
  const lines = createInterface({ input: process.stdin })
  lines.once("line", (line) => resume(Effect.succeed(line)))
  return Effect.sync(() => lines.close())
})

const rights = (scopes: ReadonlyArray<string>): string =>
  scopes.length === 0 ? "what the server gives without being asked" : scopes.join(" ")

/** The address stands on a line of its own, for whoever has to copy it. */
const showPage = ({ issuer, scopes, server, url }: LoginPage, how: string) =>
  complain(`MCP server '${server}' wants a login at ${issuer}\nfor: ${rights(scopes)}\n${how}`).pipe(
    Effect.andThen(Effect.sync(() => void process.stderr.write(`\n${visible(url)}\n\n`)))
  )

const PASTE = "Open this address in a browser. When it has sent you on, paste the address that you were sent to:"

const inBrowser = Effect.fnUntraced(function* (page: LoginPage) {
  const opened = yield* openBrowser(page.url)
  if (opened) return yield* showPage(page, "It was opened in your browser; if it does not show, open this address:")
  yield* showPage(page, PASTE)
  return yield* readLine
})

const byHand = (page: LoginPage) => Effect.andThen(showPage(page, PASTE), readLine)

// ---- what came of it -----------------------------------------------------------------------------------------------

const lifetime = ({ expiresAt, renewable }: Granted, now: number): string => {
  const renewed = renewable ? ", and renewed without you" : ""
  if (expiresAt === undefined) return renewable ? "until it is revoked" : "as long as the server takes it"
  const minutes = Math.max(0, Math.round((expiresAt - now) / 60_000))
  const span = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
  return `for ${span} (until ${new Date(expiresAt).toISOString()})${renewed}`
}

const describeGrant = (name: string, granted: Granted, now: number): string =>
  [
    `Logged in at '${name}' by ${granted.issuer}.`,
    `Rights: ${rights(granted.scopes)}`,
    `Valid: ${lifetime(granted, now)}`,
    ...(granted.bound ? ["Bound: to a key of this machine"] : []),
    granted.encrypted
      ? "Kept: encrypted, with a key in the keychain"
      : "Kept: in a file that only you can read; no keychain was found to encrypt it with"
  ].join("\n")

const describeLogout = (name: string, { known, remains, revoked }: LoggedOut): string => {
  if (!known) return `Nobody was logged in at '${name}'.`
  const told = {
    true: " It was revoked at its authorization server.",
    false: " Its authorization server could not be told: revoke it there if that matters.",
    undefined: ""
  }
  const gone = "everything that was kept is gone"
  const but = remains === undefined ? gone : `${gone}, but that the secrets of its configuration go to ${remains} alone`
  return `Logged out of '${name}': ${but}.${told[`${revoked}`]}`
}

// ---- the commands --------------------------------------------------------------------------------------------------

const server = Argument.String("name").pipe(
  Argument.withDescription("The server, as the configuration names it; or the address of one that `serve --url` serves")
)

const portFlag = Flag.Int("port").pipe(
  Flag.withMetavar("N"),
  Flag.withDescription("Port on this machine that the login leads back to; any that is free without it"),
  Flag.optional
)

export const login = Command.make(
  "login",
  {
    name: server,
    noBrowser: Flag.Boolean("no-browser").pipe(
      Flag.withDescription("Show the address instead of opening it, and read back where it led to"),
      Flag.withDefault(false)
    ),
    port: portFlag
  },
  Effect.fnUntraced(function* ({ name, noBrowser, port }) {
    const { json } = yield* root
    const chosen = Option.getOrUndefined(port)
    if (chosen !== undefined && (chosen < REDIRECT_PORT_MIN || chosen > 65_535)) {
      return yield* new UsageError({ message: `--port must be a number from ${REDIRECT_PORT_MIN} to 65535` })
    }
    yield* withServer(
      name,
      Effect.fnUntraced(function* (config, authorizer) {
        const granted = yield* authorizer.login(config, { show: noBrowser ? byHand : inBrowser, port: chosen })
        const { expiresAt } = granted
        const until = expiresAt === undefined ? null : new Date(expiresAt).toISOString()
        yield* json
          ? printJson({ server: name, ...granted, expiresAt: until })
          : print(describeGrant(name, granted, yield* Clock.currentTimeMillis))
      })
    )
  })
).pipe(
  Command.withDescription("Log in at a server that asks for it (OAuth 2.1)"),
  Command.withExamples([
    { command: "mcp-live login tickets", description: "In the browser of this machine" },
    { command: "mcp-live login tickets --no-browser", description: "In a browser elsewhere, as over SSH" }
  ])
)

export const logout = Command.make(
  "logout",
  { name: server },
  Effect.fnUntraced(function* ({ name }) {
    const { json } = yield* root
    yield* withServer(
      name,
      Effect.fnUntraced(function* (config, authorizer) {
        const outcome = yield* authorizer.logout(config)
        yield* json
          ? printJson({
              server: name,
              known: outcome.known,
              revoked: outcome.revoked ?? null,
              ...(outcome.remains === undefined ? {} : { remains: outcome.remains })
            })
          : print(describeLogout(name, outcome))
      })
    )
  })
).pipe(Command.withDescription("Forget a login, and have it revoked where the server offers that"))
