/**
 * Accounts of persons at servers: a call that needs a login asks its client to open a page of ours, and goes on when the account is connected.
 * A server that lists nothing without a login gets a tool in place of its own, by which a model can ask for that.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Caller } from "../../schemas/call/Caller.ts"
import { accountOf } from "../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import { RequestRefused } from "../../schemas/listener/ListenerError.ts"
import type { LoginFailed } from "../../schemas/login/Login.ts"
import { namePrefix } from "../../schemas/call/Names.ts"
import type { AgentTool, ToolResult } from "../../schemas/call/Tool.ts"
import type { AuditLog } from "../../services/call/AuditLog.ts"
import type { McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import type { RequestContext } from "../../services/listener/McpListener.ts"
import type { AccountLogins, AccountPage } from "../../services/login/AccountLogins.ts"
import { listed, type Listed } from "./pages.ts"

/** A question in URL mode is needed (2025-11-25). */
const URL_ELICITATION_REQUIRED = -32_042
/** From the range that JSON-RPC leaves to servers. */
const NOT_NOW = -32_000

export interface AccountParts {
  readonly logins: AccountLogins["Service"]
  readonly servers: () => ReadonlyArray<ServerConfig>
  readonly agent: () => string
  readonly audit: Effect.Effect<Pick<AuditLog["Service"], "record">>
}

/** Connected, or what the client is told instead of a result. */
type Outcome = "connected" | { readonly told: string }

const said = (told: string): Outcome => ({ told })

interface Result {
  readonly text: string
  readonly isError: boolean
}

const resultOf = ({ isError, text }: Result): JsonObject => ({
  content: [{ type: "text", text }],
  ...(isError ? { isError } : {})
})

/** Whether a login at its server would help. */
const lacksLogin = (error: object): error is { readonly server: string } =>
  ("needsLogin" in error && error.needsLogin === true) ||
  ("_tag" in error && error._tag === "AuthRequired" && "remedy" in error && error.remedy === "login")

const messageOf = (server: string): string =>
  `mcp-live needs your account at '${server}'. Open the page to connect it; the call goes on afterwards.`

const CONNECT = "connect_account"

const toolNameOf = ({ toolPrefix }: ServerConfig): string => `${namePrefix("gateway", toolPrefix)}${CONNECT}`

const outcomeOf = (exit: Exit.Exit<Result, RequestRefused>): string => {
  if (Exit.isSuccess(exit)) return exit.value.isError ? "isError" : "ok"
  return Exit.hasInterrupts(exit) ? "interrupted" : "AuthRequired"
}

export const makeAccounts = ({ agent, audit, logins, servers }: AccountParts) => {
  const hasAccounts = (server: ServerConfig): boolean => server.enabled && accountOf(server) !== undefined

  const accountAt = (name: string): ServerConfig | undefined =>
    servers().find((one) => one.name === name && hasAccounts(one))

  /** Those that wait for their person to log in. */
  const waiting = (runtime: McpRuntimeShape): Effect.Effect<ReadonlyArray<ServerConfig>> =>
    Effect.filter(servers().filter(hasAccounts), (server) =>
      Effect.map(runtime.inspect(server.name), (found) => {
        const state = found?.snapshot.state
        return state?._tag === "Failed" && state.cause._tag === "AuthRequired" && state.cause.remedy === "login"
      })
    )

  const question = ({ id, url }: AccountPage, server: string): JsonObject => ({
    mode: "url",
    message: messageOf(server),
    url,
    elicitationId: id
  })

  const notConnected = (server: string, { url }: AccountPage): Outcome =>
    said(
      `MCP server '${server}' needs the user's account: ask the user to open ${url} and to connect it, and call the tool again afterwards.`
    )

  const failed = ({ message }: LoginFailed): Effect.Effect<Outcome> => Effect.succeed(said(`${message}.`))

  /** The server connects with the new login by then. */
  const connected = (page: AccountPage, { elicited }: RequestContext): Effect.Effect<Outcome> =>
    page.connected.pipe(
      Effect.tap(() => Effect.sync(() => elicited?.(page.id))),
      Effect.as<Outcome>("connected"),
      Effect.catch(failed)
    )

  const asked = Effect.fnUntraced(function* (
    page: AccountPage,
    server: ServerConfig,
    exchange: RequestContext
  ): Effect.fn.Return<Outcome, RequestRefused> {
    const about = question(page, server.name)
    const answer = yield* Effect.result(exchange.ask("elicitation/create", about, `account ${server.name}`))
    if (answer._tag === "Failure") {
      // It knows such questions, and cannot be asked while its request is answered.
      return answer.failure.reason === "unable"
        ? yield* new RequestRefused({
            code: URL_ELICITATION_REQUIRED,
            message: `MCP server '${server.name}' needs the user's account`,
            data: { elicitations: [about] }
          })
        : notConnected(server.name, page)
    }
    return answer.success["action"] === "accept"
      ? yield* connected(page, exchange)
      : said(
          `The user did not want to connect their account at MCP server '${server.name}': do not call its tools again.`
        )
  })

  const connect = (server: ServerConfig, exchange: RequestContext): Effect.Effect<Outcome, RequestRefused> =>
    logins.page(server).pipe(
      Effect.matchEffect({
        onFailure: failed,
        onSuccess: (page) =>
          exchange.can.elicitation.url ? asked(page, server, exchange) : Effect.succeed(notConnected(server.name, page))
      })
    )

  /** Every call has a record. */
  const recorded = Effect.fnUntraced(function* (
    server: string,
    { client, person }: Caller,
    connecting: Effect.Effect<Result, RequestRefused>
  ) {
    const { record } = yield* audit
    const startedAt = yield* Clock.currentTimeMillis
    const noted = Effect.fnUntraced(function* (exit: Exit.Exit<Result, RequestRefused>) {
      yield* record({
        agent: agent(),
        client,
        person,
        server,
        tool: CONNECT,
        // It takes no arguments.
        shape: () => "{}",
        durationMs: (yield* Clock.currentTimeMillis) - startedAt,
        outcome: outcomeOf(exit),
        resultChars: Exit.isSuccess(exit) ? exit.value.text.length : 0,
        findings: []
      })
    })
    return yield* Effect.onExit(connecting, noted)
  })

  return {
    /** In the list of tools, for servers that have none of their own before their person logs in. */
    tools: (runtime: McpRuntimeShape, others: ReadonlyArray<AgentTool>): Effect.Effect<ReadonlyArray<Listed>> =>
      Effect.map(waiting(runtime), (all) =>
        all.flatMap((server) => {
          const name = toolNameOf(server)
          if (others.some((other) => other.name === name)) return []
          const description = `Connects the user's account at MCP server '${server.name}'. Its tools are listed afterwards.`
          return [listed(name, { name, description, inputSchema: { type: "object", properties: {} } })]
        })
      ),

    /** Answers a call of one of these tools; `undefined` for any other. */
    called: (
      name: string,
      caller: Caller,
      exchange: RequestContext
    ): Effect.Effect<JsonObject, RequestRefused> | undefined => {
      const server = servers().find((one) => hasAccounts(one) && toolNameOf(one) === name)
      if (server === undefined) return undefined
      const connecting = Effect.map(connect(server, exchange), (outcome): Result =>
        outcome === "connected"
          ? { text: `The account at MCP server '${server.name}' is connected: list the tools again.`, isError: false }
          : { text: outcome.told, isError: true }
      )
      return Effect.map(recorded(server.name, caller, connecting), resultOf)
    },

    /** Connects the account that a call lacks, and gives what is said instead of its result; `undefined` if it lacks none. */
    lacking: (
      { details }: ToolResult,
      exchange: RequestContext
    ): Effect.Effect<"connected" | JsonObject, RequestRefused> | undefined => {
      const server = "error" in details && lacksLogin(details.error) ? accountAt(details.error.server) : undefined
      return server === undefined
        ? undefined
        : Effect.map(connect(server, exchange), (outcome) =>
            outcome === "connected" ? outcome : resultOf({ text: outcome.told, isError: true })
          )
    },

    /** The same for what fails: it is repeated when the account is connected. */
    connecting: <A, E extends object>(
      asked: Effect.Effect<A, E>,
      exchange: RequestContext
    ): Effect.Effect<A, E | RequestRefused> =>
      asked.pipe(
        Effect.catch((error): Effect.Effect<A, E | RequestRefused> => {
          const server = lacksLogin(error) ? accountAt(error.server) : undefined
          if (server === undefined) return Effect.fail(error)
          return Effect.flatMap(connect(server, exchange), (outcome): Effect.Effect<A, E | RequestRefused> =>
            outcome === "connected" ? asked : Effect.fail(new RequestRefused({ code: NOT_NOW, message: outcome.told }))
          )
        })
      )
  }
}

export type Accounts = ReturnType<typeof makeAccounts>
