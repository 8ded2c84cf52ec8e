/**
 * `mcp-live login` and `logout`. Prompts for the person go to stderr: stdout has the outcome only, with `--json` as one
 * document. Tokens are never shown.
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
import { accountOf, accountOfPerson } from "../../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { UnknownAgent } from "../../../schemas/call/UnknownAgent.ts"
import { Authorizer } from "../../../services/login/Authorizer.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import { openBrowser } from "../questions/browser.ts"
import { EXIT_FAILED, ExitWith, root, UsageError, withLogLevel } from "../command.ts"
import { redactorLayer } from "../masking.ts"
import { complain, print, printJson, visible } from "../output.ts"
import { personOf, withPerson } from "../people/person.ts"
import { untilStopped } from "../signals.ts"
import { layerUnconfigured } from "./unconfigured.ts"

// ---- which server --------------------------------------------------------------------------------------------------

/** The server of the chosen agent, else of any agent that has it: a login belongs to the server. */
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

/** A server that needs no configuration, as in `mcp-live serve --url`. */
const atAddress = (address: string): ServerConfig | undefined => {
  if (!/^https?:\/\//i.test(address)) return undefined
  const given = { command: [], url: address, headers: [], env: [], allowPrivate: false, cwd: undefined }
  return Option.getOrUndefined(Result.getSuccess(givenServer(given, {})))
}

/** Starts no server. */
const withServer = (
  name: string,
  use: (
    server: ServerConfig,
    authorizer: Authorizer["Service"],
    inFleet: boolean
  ) => Effect.Effect<void, LoginFailed | UsageError>
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
      return yield* use(server, yield* Authorizer, loaded.fleet !== undefined)
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

/** The first line that is typed. Waits forever if nobody types. */
const readLine = Effect.callback<string>((resume) => {
  const lines = createInterface({ input: process.stdin })
  lines.once("line", (line) => resume(Effect.succeed(line)))
  return Effect.sync(() => lines.close())
})

const rights = (scopes: ReadonlyArray<string>): string =>
  scopes.length === 0 ? "the server's default scopes" : scopes.join(" ")

/** The address is on its own line, so that it is easy to copy. */
const showPage = ({ issuer, scopes, server, url }: LoginPage, how: string) =>
  complain(`MCP server '${server}' needs a login at ${issuer}\nfor: ${rights(scopes)}\n${how}`).pipe(
    Effect.andThen(Effect.sync(() => void process.stderr.write(`\n${visible(url)}\n\n`)))
  )

const PASTE = "Open this address in a browser. After the login, paste the address to which the browser was redirected:"

const inBrowser = Effect.fnUntraced(function* (page: LoginPage) {
  const opened = yield* openBrowser(page.url)
  if (opened)
    return yield* showPage(page, "Your browser has been started; if it does not show the page, open this address:")
  yield* showPage(page, PASTE)
  return yield* readLine
})

const byHand = (page: LoginPage) => Effect.andThen(showPage(page, PASTE), readLine)

// ---- the outcome -----------------------------------------------------------------------------------------------------

const lifetime = ({ expiresAt, renewable }: Granted, now: number): string => {
  const renewed = renewable ? ", renewed automatically" : ""
  if (expiresAt === undefined) return renewable ? "until it is revoked" : "as long as the server accepts it"
  const minutes = Math.max(0, Math.round((expiresAt - now) / 60_000))
  const span = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
  return `for ${span} (until ${new Date(expiresAt).toISOString()})${renewed}`
}

const storedWords = ({ encrypted }: Granted, inFleet: boolean): string => {
  if (inFleet) return "Stored: encrypted, in the database of the fleet, for all of its nodes"
  return encrypted
    ? "Stored: encrypted, with a key in the keychain"
    : "Stored: in a file that only you can read, unencrypted because no keychain was found"
}

const describeGrant = (
  { launch, name }: Pick<ServerConfig, "launch" | "name">,
  granted: Granted,
  now: number,
  inFleet: boolean
): string => {
  const isForTerminal = launch.kind !== "stdio" && launch.auth?.per === "person"
  return [
    `Logged in at '${name}' through ${granted.issuer}.`,
    `Scopes: ${rights(granted.scopes)}`,
    `Valid: ${lifetime(granted, now)}`,
    ...(granted.bound ? ["Bound: to a key of this machine"] : []),
    storedWords(granted, inFleet),
    ...(isForTerminal ? ["For: the user of this terminal only; each person connects an account of their own"] : [])
  ].join("\n")
}

const describeLogout = (name: string, { known, remains, revoked }: LoggedOut): string => {
  if (!known) return `Nobody was logged in at '${name}'.`
  const told = {
    true: " The authorization server has revoked the login.",
    false: " The authorization server could not be told: if that matters, revoke the login there.",
    undefined: ""
  }
  const gone = "everything that was stored is deleted"
  const but =
    remains === undefined ? gone : `${gone}, except that the secrets of its configuration go to ${remains} only`
  return `Logged out of '${name}': ${but}.${told[`${revoked}`]}`
}

// ---- the commands --------------------------------------------------------------------------------------------------

/** The person with this name or id. */
const idOf = Effect.fnUntraced(function* (given: string) {
  const { config } = yield* root
  const { auditTrail } = yield* Effect.promise(() => import("../../../layers/McpLive/auditTrail.ts"))
  const { ids } = yield* Effect.provide(personOf(given), auditTrail(Option.getOrUndefined(config)))
  return ids[0]!
})

/** The server as a person has it who has a login of their own there. */
const asPerson = (config: ServerConfig, id: string): Effect.Effect<ServerConfig, UsageError> => {
  const theirs = { ...config, holder: accountOfPerson(id) }
  return accountOf(theirs) === undefined
    ? Effect.fail(new UsageError({ message: `the login at '${visible(config.name)}' is not one for each person` }))
    : Effect.succeed(theirs)
}

const server = Argument.String("name").pipe(
  Argument.withDescription("The name of the server in the configuration, or the URL that you pass to `serve --url`")
)

const portFlag = Flag.Int("port").pipe(
  Flag.withMetavar("N"),
  Flag.withDescription("Port on this machine to which the login redirects; without it, any free one"),
  Flag.optional
)

export const login = Command.make(
  "login",
  {
    name: server,
    noBrowser: Flag.Boolean("no-browser").pipe(
      Flag.withDescription("Show the address instead of opening it, and read the redirect address from the terminal"),
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
      Effect.fnUntraced(function* (config, authorizer, inFleet) {
        const granted = yield* authorizer.login(config, { show: noBrowser ? byHand : inBrowser, port: chosen })
        const { expiresAt } = granted
        const until = expiresAt === undefined ? null : new Date(expiresAt).toISOString()
        yield* json
          ? printJson({ server: name, ...granted, expiresAt: until })
          : print(describeGrant({ ...config, name }, granted, yield* Clock.currentTimeMillis, inFleet))
      })
    )
  })
).pipe(
  Command.withDescription(
    "Log in at a server that requires it (OAuth 2.1), for the user of this terminal only: people who use it over HTTP connect accounts of their own"
  ),
  Command.withShortDescription("Log in at a server that requires it (OAuth 2.1)"),
  Command.withExamples([
    { command: "mcp-live login tickets", description: "In the browser of this machine" },
    {
      command: "mcp-live login tickets --no-browser",
      description: "In a browser on another machine, for example over SSH"
    }
  ])
)

export const logout = Command.make(
  "logout",
  {
    name: server,
    as: Flag.String("as").pipe(
      Flag.withMetavar("PERSON"),
      Flag.withDescription("The login of this person, by name or id, where each person has their own"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ as, name }) {
    const { json } = yield* root
    const person = Option.isSome(as) ? yield* withPerson(idOf(as.value)) : undefined
    yield* withServer(
      name,
      Effect.fnUntraced(function* (config, authorizer) {
        const outcome = yield* authorizer.logout(person === undefined ? config : yield* asPerson(config, person))
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
).pipe(
  Command.withDescription("Delete a login, and revoke it where the server offers that"),
  Command.withExamples([
    { command: "mcp-live logout tickets", description: "The login of whoever runs mcp-live" },
    {
      command: "mcp-live logout tickets --as ada@example.com",
      description: "The login of a person who uses it over HTTP"
    }
  ])
)
