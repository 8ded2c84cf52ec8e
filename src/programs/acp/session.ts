/**
 * One open session: its servers, which nobody else has, and its turns. Everything that it starts lives in its Scope; closing
 * it cancels what runs, and stops its servers.
 */
import type { ContentBlock, PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../../schemas/AgentEvent.ts"
import { ACP_SERVERS_WAIT_MS, ERROR_TEXT_MAX_CHARS } from "../../schemas/Defaults.ts"
import { DIRECT_COMMANDS } from "../../schemas/DirectCommands.ts"
import type { ServerConfig } from "../../schemas/ServerConfig.ts"
import type { ApproveCall } from "../../services/AgentGateway.ts"
import type { SessionRuntime } from "../../services/AgentRuntimes.ts"
import { fromPrompt } from "./content.ts"
import { failed, type Refused } from "./failure.ts"
import { answerOf, requestOf, subjectOf } from "./permission.ts"
import type { Services } from "./services.ts"
import { abandoned, callId, notice, stopReasonOf, toUpdate } from "./updates.ts"

export interface Opening {
  readonly sessionId: string
  readonly cwd: string
  readonly servers: ReadonlyArray<ServerConfig>
  /** What the person is to be told at the beginning. */
  readonly notices: ReadonlyArray<string>
  /** Turns that there were before. */
  readonly turns: number
  /** Whether the client has been told what the conversation is called. */
  readonly titled: boolean
}

export interface Session {
  readonly cwd: string
  readonly prompt: (prompt: ReadonlyArray<ContentBlock>, signal: AbortSignal) => Effect.Effect<PromptResponse, Refused>
  /** Ends what runs, with `cancelled`; the session goes on. */
  readonly cancel: Effect.Effect<void>
  /** Ends everything of it; returns when its servers are gone. */
  readonly close: Effect.Effect<void>
}

/** After everything that is about to be sent. */
const afterAnswer = Effect.callback<void>((resume) => {
  const timer = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(timer))
})

const aborted = (signal: AbortSignal) =>
  Effect.callback<void>((resume) => {
    const stop = () => resume(Effect.void)
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", stop))
  })

const commandsUpdate: SessionUpdate = {
  sessionUpdate: "available_commands_update",
  availableCommands: DIRECT_COMMANDS.map(({ about, name, usage }) => ({
    name,
    description: about,
    ...(usage === "" ? {} : { input: { hint: usage } })
  }))
}

export const openSession = Effect.fnUntraced(function* (
  { cwd, notices, servers, sessionId, ...opening }: Opening,
  services: Services
): Effect.fn.Return<Session, Refused, Scope.Scope> {
  const { acp, agent, client, gateway, runtimes, sanitizer, sessionTools } = services
  // Closing the caller's Scope closes this one; it can also be closed alone.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const running = new Set<Fiber.Fiber<unknown, unknown>>()
  const rejected = new Set<string>()
  /** What could not be told for want of notices waits for the next turn. */
  const untold = [...notices]
  let turn = opening.turns
  let isTitled = opening.titled

  const send = (update: SessionUpdate) => client.update(sessionId, update)

  const tell = (text: string) =>
    Effect.suspend(() => {
      if (client.shows.notices) return send(notice(text, "warning"))
      untold.push(text)
      return Effect.void
    })

  // ---- servers -----------------------------------------------------------------------------------------------------

  const startServers = Effect.gen(function* () {
    if (servers.length === 0) return undefined
    const runtime = yield* runtimes
      .forSession({ agent, session: sessionId, servers, maxTools: acp.maxTools })
      .pipe(Effect.mapError(({ message }) => failed(message)))
    yield* Effect.addFinalizer(() => sessionTools.clear(sessionId))
    yield* sessionTools.set(sessionId, runtime)
    return runtime
  }).pipe(Scope.provide(scope))

  const clean = (text: string) => sanitizer.label(text, ERROR_TEXT_MAX_CHARS)

  /** What came of the servers, once it is known; from then on the tools are what they are. */
  const settle = Effect.fnUntraced(function* (runtime: SessionRuntime) {
    yield* Effect.timeoutOption(runtime.ready, ACP_SERVERS_WAIT_MS)
    yield* runtime.tools
    for (const [name, { lastError, state }] of Object.entries(yield* runtime.status)) {
      if (state === "Ready") continue
      const why = lastError ?? "it has not answered yet"
      yield* tell(clean(`The MCP server ${JSON.stringify(name)} did not start, and its tools are missing: ${why}`))
    }
    const leftOut = yield* runtime.leftOut
    if (leftOut.length > 0) {
      const which = clean(leftOut.join(", "))
      yield* tell(`${leftOut.length} tools were left out: a session may have ${acp.maxTools} (acp.maxTools).\n${which}`)
    }
  })

  const runtime = yield* Effect.onError(startServers, (cause) => Scope.close(scope, Exit.failCause(cause)))
  const settled = yield* Deferred.make<void>()
  yield* Effect.gen(function* () {
    yield* afterAnswer
    yield* send(commandsUpdate)
    if (client.shows.notices) for (const text of untold.splice(0)) yield* tell(text)
    if (runtime !== undefined) yield* settle(runtime)
  }).pipe(Effect.ensuring(Deferred.succeed(settled, undefined)), Effect.forkIn(scope))

  // ---- turns -------------------------------------------------------------------------------------------------------

  const oneTurn = Effect.fnUntraced(function* (prompt: ReadonlyArray<ContentBlock>) {
    const number = turn++
    const openCalls = new Set<string>()
    /** A client may not know what to do with a question about a call that it has not been told of. */
    const told = new Map<string, Deferred.Deferred<void>>()
    const toldOf = (id: string) => {
      const known = told.get(id) ?? Deferred.makeUnsafe<void>()
      told.set(id, known)
      return known
    }
    let ended: Extract<AgentEvent, { _tag: "Done" }> | undefined

    const approve: ApproveCall = Effect.fnUntraced(function* (question, call, signal) {
      const subject = subjectOf(question)
      if (rejected.has(subject)) return "deny"
      yield* Deferred.await(toldOf(call.id))
      const response = yield* client.askPermission(requestOf(sessionId, callId(number, call.id), question), signal)
      const { answer, forSession } = answerOf(response)
      if (forSession) rejected.add(subject)
      return answer
    })

    const show = Effect.fnUntraced(function* (event: AgentEvent) {
      const update = yield* toUpdate(event, number, client.shows)
      if (update !== undefined) yield* send(update)
      if (event._tag === "ToolCall") {
        openCalls.add(event.id)
        yield* Deferred.succeed(toldOf(event.id), undefined)
      }
      if (event._tag === "ToolResult") openCalls.delete(event.id)
      if (event._tag === "Done") ended = event
    })

    const tidy = Effect.sync(() => {
      for (const id of openCalls) client.post(sessionId, abandoned(number, id))
    })

    yield* Deferred.await(settled)
    for (const text of untold.splice(0)) yield* send(client.words(`${text}\n\n`))
    yield* gateway.send(sessionId, fromPrompt(prompt), { approve }).pipe(
      Stream.runForEach(show),
      Effect.mapError(({ message }) => failed(clean(message))),
      Effect.ensuring(tidy)
    )
    return ended
  })

  const describe = Effect.gen(function* () {
    if (isTitled) return
    const conversation = yield* gateway.load(sessionId)
    if (conversation?.title === undefined) return
    isTitled = true
    const updatedAt = new Date(conversation.updatedAt).toISOString()
    yield* send({ sessionUpdate: "session_info_update", title: conversation.title, updatedAt })
  })

  const answered = (done: Extract<AgentEvent, { _tag: "Done" }> | undefined): PromptResponse => ({
    stopReason: stopReasonOf(done?.reason ?? "other"),
    ...(done?.inputTokens === undefined && done?.outputTokens === undefined
      ? {}
      : { _meta: { usage: { inputTokens: done.inputTokens, outputTokens: done.outputTokens } } })
  })

  const prompt = Effect.fnUntraced(function* (blocks: ReadonlyArray<ContentBlock>, signal: AbortSignal) {
    const fiber = yield* Effect.forkIn(oneTurn(blocks), scope)
    running.add(fiber)
    const exit = yield* Fiber.await(fiber).pipe(
      (waiting) =>
        Effect.raceFirst(waiting, Effect.andThen(aborted(signal), Effect.andThen(Fiber.interrupt(fiber), waiting))),
      Effect.ensuring(Effect.sync(() => void running.delete(fiber)))
    )
    yield* describe
    if (Exit.isSuccess(exit)) return answered(exit.value)
    if (Exit.hasInterrupts(exit)) return { stopReason: "cancelled" } as PromptResponse
    return yield* Effect.failCause(exit.cause)
  })

  return {
    cwd,
    prompt,
    cancel: Effect.suspend(() => Fiber.interruptAll(running)),
    // What runs first, so that calls are cancelled at servers that still listen.
    close: Effect.andThen(
      Effect.suspend(() => Fiber.interruptAll(running)),
      Scope.close(scope, Exit.void)
    )
  }
})
