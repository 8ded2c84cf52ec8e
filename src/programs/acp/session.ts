/**
 * One open session: its settings, its own servers, and its turns. Everything that it starts lives in its Scope; closing it
 * cancels its work and stops its servers.
 */
import type { ContentBlock, PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { setImmediate } from "node:timers/promises"
import type { AgentEvent } from "../../schemas/agent/AgentEvent.ts"
import { ACP_SERVERS_SILENT_MS } from "../../schemas/defaults/Acp.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import { DIRECT_COMMANDS } from "../../schemas/agent/DirectCommands.ts"
import type { ApproveCall } from "../../services/agent/AgentGateway.ts"
import { follow, followed, logChanges, settle, startServers, waitedFor, type Brought, type Tell } from "./brought.ts"
import { fromPrompt } from "./content.ts"
import { failed, type Refused } from "./failure.ts"
import { answerOf, requestOf, subjectOf } from "./permission.ts"
import type { Services } from "./services.ts"
import { optionsOf, type Mode, type Settings } from "./settings.ts"
import { abandoned, callId, notice, stopReasonOf, toUpdate } from "./updates.ts"

export interface Opening extends Brought {
  readonly mode: Mode
  /** Notices for the person at the start. */
  readonly notices: ReadonlyArray<string>
  /** The number of earlier turns. */
  readonly turns: number
  /** The title under which the client knows the conversation. */
  readonly title: string | undefined
  /** A prefix for the ids of calls, so that they differ from those of earlier openings. */
  readonly calls: string
}

export interface Session {
  readonly cwd: string
  readonly settings: () => Settings
  readonly setMode: (mode: Mode) => void
  readonly send: (update: SessionUpdate) => Effect.Effect<void>
  readonly prompt: (prompt: ReadonlyArray<ContentBlock>, signal: AbortSignal) => Effect.Effect<PromptResponse, Refused>
  /** Ends the current work with `cancelled`; the session stays open. */
  readonly cancel: Effect.Effect<void>
  /** Closes the session; returns when its servers have ended. */
  readonly close: Effect.Effect<void>
}

/** Waits until pending messages have been sent. */
const afterAnswer = Effect.promise(() => setImmediate())

/** Returns when the request is cancelled. */
export const aborted = (signal: AbortSignal) =>
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
  { notices, ...opening }: Opening,
  services: Services
): Effect.fn.Return<Session, Refused, Scope.Scope> {
  const { agent, cwd, sessionId } = opening
  const { client, gateway, runtimes, sanitizer } = services
  // Closes with the caller's Scope, or alone.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const running = new Set<Fiber.Fiber<unknown, unknown>>()
  /** The turns among them that nobody has cancelled yet. */
  const going = new Set<Fiber.Fiber<unknown, unknown>>()
  const rejected = new Set<string>()
  /** Notices that the client cannot show yet wait for the next turn. */
  const untold = [...notices]
  let mode = opening.mode
  let turn = opening.turns
  let title = opening.title

  const send = (update: SessionUpdate) => client.update(sessionId, update)

  const tell: Tell = (text, severity = "warning") =>
    Effect.suspend(() => {
      if (client.shows.notices) return send(notice(text, severity))
      untold.push(text)
      return Effect.void
    })

  // ---- servers -----------------------------------------------------------------------------------------------------

  const clean = (text: string) => sanitizer.label(text, ERROR_TEXT_MAX_CHARS)
  const asksAlways = () => mode === "ask"

  const start = Effect.gen(function* () {
    // Held for the life of the session, so that its servers stay up between turns.
    const as = agent === services.agent ? undefined : yield* runtimes.get(agent)
    return { as, brought: yield* startServers(opening, asksAlways, services) }
  }).pipe(
    Effect.catchTag("UnknownAgent", ({ message }) => failed(message)),
    Scope.provide(scope)
  )

  const { as, brought } = yield* Effect.onError(start, (cause) => Scope.close(scope, Exit.failCause(cause)))
  const settled = yield* Deferred.make<void>()
  yield* Effect.gen(function* () {
    yield* afterAnswer
    // A remote agent gets the person's text unchanged, and has its own commands.
    if (gateway.elsewhere !== true) yield* send(commandsUpdate)
    if (client.shows.notices) for (const text of untold.splice(0)) yield* tell(text)
    if (brought !== undefined) yield* settle(brought, tell, services)
  }).pipe(Effect.ensuring(Deferred.succeed(settled, undefined)), Effect.forkIn(scope))
  if (brought !== undefined) {
    const watch = followed(opening, services) ? follow(brought, tell, services) : logChanges(brought, services)
    yield* Deferred.await(settled).pipe(Effect.andThen(watch), Effect.forkIn(scope))
  }

  /** After a while, the person learns what the first message waits for. */
  const afterServers = Effect.gen(function* () {
    const early = yield* Effect.timeoutOption(Deferred.await(settled), ACP_SERVERS_SILENT_MS)
    if (Option.isSome(early)) return
    const text = brought === undefined ? undefined : yield* waitedFor(brought, services)
    if (text !== undefined) yield* send(client.shows.notices ? notice(text, "info") : client.words(`${text}\n\n`))
    yield* Deferred.await(settled)
  })

  // ---- turns -------------------------------------------------------------------------------------------------------

  const oneTurn = Effect.fnUntraced(function* (prompt: ReadonlyArray<ContentBlock>) {
    const isFirst = turn === 0
    const number = `${opening.calls}${turn++}`
    const openCalls = new Set<string>()
    /** Some clients cannot show a question about a call that they have not heard of, so the call is announced first. */
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

    // From now on the conversation belongs to its agent.
    if (isFirst && services.agents.size > 1) {
      const configOptions = optionsOf({ mode, agent, agents: [agent] }, true)
      yield* send({ sessionUpdate: "config_option_update", configOptions })
    }
    yield* afterServers
    for (const text of untold.splice(0)) yield* send(client.words(`${text}\n\n`))
    yield* gateway.send(sessionId, fromPrompt(prompt), { approve, asksAlways, as }).pipe(
      Stream.runForEach(show),
      Effect.mapError(({ message }) => failed(clean(message))),
      Effect.ensuring(tidy)
    )
    return ended
  })

  const describe = Effect.gen(function* () {
    const conversation = yield* gateway.load(sessionId)
    if (conversation === undefined || conversation.title === title) return
    title = conversation.title
    const updatedAt = new Date(conversation.updatedAt).toISOString()
    yield* send({ sessionUpdate: "session_info_update", title: title ?? null, updatedAt })
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
    going.add(fiber)
    const exit = yield* Fiber.await(fiber).pipe(
      (waiting) =>
        Effect.raceFirst(waiting, Effect.andThen(aborted(signal), Effect.andThen(Fiber.interrupt(fiber), waiting))),
      // Send its last updates before the answer.
      Effect.onInterrupt(() => Fiber.interrupt(fiber)),
      Effect.ensuring(
        Effect.sync(() => {
          running.delete(fiber)
          going.delete(fiber)
        })
      )
    )
    yield* describe
    if (Exit.isSuccess(exit)) return answered(exit.value)
    if (Exit.hasInterrupts(exit)) return { stopReason: "cancelled" } as PromptResponse
    return yield* Effect.failCause(exit.cause)
  })

  const agents = [...services.agents.keys()]

  return {
    cwd,
    // A conversation stays with its agent.
    settings: () => ({ mode, agent, agents: turn === 0 ? agents : [agent] }),
    setMode: (chosen) => {
      mode = chosen
    },
    send,
    prompt,
    // Cancels each turn only once.
    cancel: Effect.suspend(() => {
      const turns = [...going]
      going.clear()
      return Fiber.interruptAll(turns)
    }),
    // Stop the work first, so that calls are cancelled while their servers are still there.
    close: Effect.andThen(
      Effect.suspend(() => Fiber.interruptAll(running)),
      Scope.close(scope, Exit.void)
    )
  }
})
