/**
 * Requests of a fleet's clients that belong to another node: because their session is there, or the call that they come back for. They are
 * passed on. If that node is dead, its session is opened again here; what was under way there is answered at once, with what the journal
 * of calls knows.
 */
import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  LISTENER_CONFIRM_MS,
  LISTENER_DENIALS_MAX,
  LISTENER_HOP_MS,
  LISTENER_HOPS_MAX
} from "../../../../../schemas/defaults/Listener.ts"
import { isObject } from "../../../../../schemas/data/Json.ts"
import { isSameNode, type NodeId } from "../../../../../schemas/fleet/Node.ts"
import { MISDIRECTED, NOT_HERE } from "../../../../../schemas/fleet/NotHere.ts"
import type { RequestRefused } from "../../../../../schemas/listener/ListenerError.ts"
import type { SessionRecord } from "../../../../../schemas/listener/SessionRecord.ts"
import type { Origin } from "../../../../../services/call/CallJournal.ts"
import type { Directory } from "../../../../../services/listener/SessionDirectory.ts"
import { askedIn, lostAnswers, originIn, repeatedBy, type Asked } from "../../requests/lost.ts"
import { NOT_NOW } from "../../requests/refusals.ts"
import type { Run } from "../../requests/running.ts"
import type { RequestId } from "../../requests/sdk.ts"
import { idOf } from "../../requests/shapes.ts"
import { keyOf, notServed } from "../addresses.ts"
import type { Exchange } from "../Exchange.ts"
import { errorAnswer, jsonAnswer, type Answer, type Said } from "../httpMessages.ts"
import { notFound } from "../Session.ts"
import type { Sessions } from "../Sessions.ts"
import { hasNames } from "../SessionStreams.ts"
import { passOn, type Broken } from "./passOn.ts"
import { passPage } from "./pageRequests.ts"
import { PeerAgents } from "./PeerAgents.ts"
import { eventOf, unknownSession } from "./unknownSession.ts"

interface Options {
  readonly directory: Directory
  readonly sessions: Sessions
  readonly run: Run
}

type Answered = Effect.Effect<Answer | undefined>

const said = (answer: Said): Answered => (Effect.isEffect(answer) ? answer : Effect.succeed(answer))

const notHere: Answer = { status: MISDIRECTED, headers: { [NOT_HERE]: "1" }, text: "" }

const later = (id: unknown, message: string, seconds = 1) =>
  errorAnswer(503, NOT_NOW, message, id, { "retry-after": String(seconds) })

const tooMany = (id: unknown) => later(id, "There are too many sessions")

const messagesIn = (body: unknown): ReadonlyArray<unknown> =>
  body === undefined ? [] : Array.isArray(body) ? body : [body]

/** What a client of 2026-07-28 comes back for: a call that was given back to it, or a task. */
export const returnedIn = (message: unknown): string | undefined => {
  const params = isObject(message) && isObject(message["params"]) ? message["params"] : undefined
  const name = params?.["requestState"] ?? params?.["taskId"]
  return typeof name === "string" ? name : undefined
}

export class Elsewhere {
  readonly #directory: Directory
  readonly #sessions: Sessions
  readonly #agents: PeerAgents
  /** Messages of clients that another node is answering. */
  #passing = 0

  constructor({ directory, run, sessions }: Options) {
    this.#directory = directory
    this.#sessions = sessions
    this.#agents = new PeerAgents(run, directory.connect)
  }

  /** Whether a client waits for an answer of another node. Streams that only listen do not count: their clients come back. */
  get isBusy(): boolean {
    return this.#passing > 0
  }

  end(): void {
    this.#agents.end()
  }

  /** What was passed on to that node, and is not answered, is answered now. */
  cut(node: NodeId): void {
    this.#agents.cut(node)
  }

  /** A request of a browser for a page of that node, with these of its cookies. */
  page(incoming: IncomingMessage, response: ServerResponse, node: NodeId, cookies: ReadonlyArray<string>): void {
    passPage(incoming, response, node, this.#agents.to(node), cookies)
  }

  /** A request that belongs to the session of that name, if it has one; `here` answers it at this node. */
  atSession(exchange: Exchange, session: string, body: unknown, here: () => Said): Said {
    if (this.#sessions.has(session) && this.#directory.isCurrent()) return here()
    return Effect.suspend(() => this.#toSession(exchange, session, body, here))
  }

  /** A message for a session of 2024-11-05, which ends with the node that has its stream. */
  atStream(exchange: Exchange, session: string, body: unknown, here: () => Said): Said {
    const { homeOf, self } = this.#directory
    const home = homeOf(session)
    if (home === undefined || isSameNode(home, self) || exchange.passed !== undefined) return here()
    return Effect.gen({ self: this }, function* () {
      const passed = yield* this.#pass(exchange, home, false, body)
      if (passed === "answered") return undefined
      return passed !== "not here" && passed.broke === "within" ? void exchange.response.destroy() : notFound()
    })
  }

  /** A request that opens a session. A node that takes none, or is full, gives it to another one. */
  atStart(exchange: Exchange, body: unknown, here: () => Said): Said {
    if (this.#takes || exchange.passed !== undefined) return here()
    return Effect.suspend(() => {
      const [other] = this.#directory.others()
      // The last one there is does what it can.
      if (other === undefined) return said(here())
      return Effect.flatMap(this.#pass(exchange, other, true, body), (passed) =>
        passed === "answered" ? Effect.succeed(undefined) : said(here())
      )
    })
  }

  /** A request without a session that comes back for a call or a task of this name. */
  atCall(exchange: Exchange, name: string, body: unknown, here: () => Said): Said {
    const { homeOf, self } = this.#directory
    const home = homeOf(name)
    if (home === undefined || isSameNode(home, self) || exchange.passed !== undefined) return here()
    return Effect.gen({ self: this }, function* () {
      const passed = yield* this.#pass(exchange, home, false, body)
      if (passed === "answered") return undefined
      if (passed === "not here") return yield* said(here())
      if (!(yield* this.#directory.isGone(home))) return this.#broken(exchange, passed.broke, [], body)
      const asked = passed.broke === "before" ? [] : askedIn(messagesIn(body)).filter(({ isCall }) => isCall)
      if (asked.length === 0 && !exchange.response.headersSent) return yield* said(here())
      // It was a call that its client came back for, by this name.
      return yield* this.#lost(exchange, passed.broke, () => originIn(name), askedIn(messagesIn(body)), body)
    })
  }

  /** After it was frozen, or cut off from the database and all other nodes. */
  get #isConfirmed(): Effect.Effect<boolean> {
    if (this.#directory.isCurrent()) return Effect.succeed(true)
    return Effect.timeoutOrElse(Effect.as(this.#directory.confirmed, true), {
      duration: LISTENER_CONFIRM_MS,
      orElse: () => Effect.succeed(false)
    })
  }

  get #takes(): boolean {
    return !this.#directory.isDraining() && !this.#sessions.isFull
  }

  #pass(exchange: Exchange, node: NodeId, take: boolean, body: unknown) {
    const passed = passOn(exchange, { agent: this.#agents.to(node), node, take, body })
    if (exchange.method !== "POST") return passed
    return Effect.suspend(() => {
      this.#passing++
      return Effect.ensuring(
        passed,
        Effect.sync(() => void this.#passing--)
      )
    })
  }

  #toSession(exchange: Exchange, session: string, body: unknown, here: () => Said): Answered {
    const directory = this.#directory
    const id = messagesIn(body).map(idOf)[0] ?? null
    return Effect.gen({ self: this }, function* () {
      if (!(yield* this.#isConfirmed)) return later(id, "This node has to be confirmed by its fleet")
      let except: NodeId | undefined
      // Another node has read that the session is here. It may not be open yet; or never have been, where an answer of the database was lost.
      const isOurs = exchange.passed?.take === false
      /** How often the node that should have it said that it does not: it may be moving. */
      let denials = 0
      for (let hop = 0; hop < LISTENER_HOPS_MAX; hop++) {
        if (denials > 0) yield* Effect.sleep(LISTENER_HOP_MS * 2 ** denials)
        if (this.#sessions.has(session)) {
          this.#sessions.hold(exchange)
          return yield* said(here())
        }
        const guess = except === undefined && !isOurs ? directory.guess(session) : undefined
        const place =
          guess === undefined || isSameNode(guess, directory.self)
            ? yield* directory.find(session, this.#takes, except)
            : ({ at: "node", node: guess } as const)
        if (isOurs && place.at !== "here") return notHere
        const isBack = place.at === "node" && except !== undefined && isSameNode(place.node, except)
        if (place.at === "nowhere") return unknownSession(exchange, directory.isName(session))
        if (isBack && denials >= LISTENER_DENIALS_MAX) return notFound()
        if (place.at === "here") {
          const refused = yield* this.#revive(exchange, place.session, id)
          if (refused !== undefined) return refused
          continue
        }
        // Nobody is asked to take it who was asked for that by another node.
        const taker = exchange.passed === undefined ? directory.others()[0] : undefined
        const node = place.at === "node" ? place.node : taker
        if (node === undefined) return tooMany(id)
        const passed = yield* this.#pass(exchange, node, place.at === "free", body)
        if (passed === "answered") return undefined
        except = node
        if (passed === "not here") denials++
        if (passed === "not here") continue
        const isGone = yield* directory.isGone(node)
        const asked = askedIn(messagesIn(body))
        const mayRepeat = passed.broke === "before" || (passed.broke === "sent" && !asked.some(({ isCall }) => isCall))
        if (mayRepeat) continue
        if (!isGone) return this.#broken(exchange, passed.broke, asked, body)
        const lost = this.#lost(exchange, passed.broke, (request) => ({ session, request }), asked, body)
        return yield* (yield* this.#mayRepeat(session, asked))
          ? this.#repeat(exchange, session, passed.broke, asked, lost)
          : lost
      }
      return later(id, "The session is moving from one node to another: try again")
    }).pipe(
      Effect.catchTag("DatabaseAway", ({ message, retryInMs }) =>
        Effect.succeed(later(id, message, Math.ceil(retryInMs / 1_000)))
      )
    )
  }

  /** Gives an answer if the session cannot be opened here. */
  #revive(exchange: Exchange, record: SessionRecord, id: unknown): Effect.Effect<Answer | undefined> {
    const { who } = exchange
    const owner = { principal: record.principal, agent: undefined, only: record.only }
    if (keyOf(owner) !== keyOf(who)) return Effect.succeed(notFound())
    return this.#sessions.revive(record, who).pipe(
      Effect.map((isOpen) => (isOpen ? undefined : tooMany(id))),
      Effect.catch((refused: RequestRefused) => Effect.succeed(notServed(refused, who, id as never)))
    )
  }

  /** Whether the call that was under way at a dead node may be run again. */
  #mayRepeat(session: string, asked: ReadonlyArray<Asked>): Effect.Effect<boolean> {
    const request = repeatedBy(asked)
    return request === undefined ? Effect.succeed(false) : this.#directory.hasRepeat({ session, request })
  }

  /** Runs it again for this request; or, if its client has a part of the stream, for the one with which it comes back for the rest. */
  #repeat(exchange: Exchange, session: string, broke: Broken, asked: ReadonlyArray<Asked>, lost: Answered): Answered {
    if (broke === "between" && hasNames(exchange.header("mcp-protocol-version") ?? "")) {
      return Effect.sync(() => void exchange.response.end())
    }
    if (broke !== "sent") return lost
    return Effect.gen({ self: this }, function* () {
      if (!this.#sessions.has(session)) {
        const place = yield* this.#directory.find(session, this.#takes)
        if (place.at !== "here") return yield* lost
        if ((yield* this.#revive(exchange, place.session, null)) !== undefined) return yield* lost
      }
      this.#sessions.hold(exchange)
      return yield* this.#sessions.sayLost(exchange, asked)
    }).pipe(Effect.catchTag("DatabaseAway", () => lost))
  }

  /** The node is dead. */
  #lost(
    exchange: Exchange,
    broke: Broken,
    originOf: (request: RequestId) => Origin,
    asked: ReadonlyArray<Asked>,
    body: unknown
  ): Answered {
    const { response } = exchange
    if (broke === "within")
      return Effect.as(
        Effect.sync(() => response.destroy()),
        undefined
      )
    return Effect.map(lostAnswers(this.#directory, originOf, asked), (messages) => {
      if (!response.headersSent) return jsonAnswer(200, Array.isArray(body) ? messages : messages[0]!)
      // Its stream goes on with that, and ends.
      for (const message of messages) response.write(eventOf(message))
      response.end()
      return undefined
    })
  }

  /** The node lives, and has ended the connection for a reason of its own. */
  #broken({ response }: Exchange, broke: Broken, asked: ReadonlyArray<Asked>, body: unknown): Answer | undefined {
    if (broke === "before" && !response.headersSent) {
      return later(
        asked[0]?.id ?? messagesIn(body).map(idOf)[0] ?? null,
        "The node of this session cannot be reached now"
      )
    }
    response.destroy()
    return undefined
  }
}
