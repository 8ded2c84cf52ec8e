/**
 * One connection of a command or of the page: JSON messages, one on each line, within bounds. The connection is closed when the other end sends
 * something that is no message, has too many requests under way, has sent too much of a line without its end while others do the same, or
 * does not read what it is sent. Each message has a turn of the event loop, and so has each piece that arrives.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { FromClientEncoded, FromServerEncoded } from "effect/rpc/RpcMessage"
import type { Duplex } from "node:stream"
import {
  CONTROL_MESSAGE_MAX_BYTES,
  CONTROL_MESSAGE_MAX_DEPTH,
  CONTROL_MESSAGE_MAX_PARTS,
  CONTROL_MESSAGE_MAX_VALUES,
  CONTROL_UNREAD_MAX_BYTES,
  CONTROL_UNREAD_MS
} from "../../schemas/defaults/Control.ts"
import { reader } from "../../schemas/data/Lenient.ts"
import { WorkFor, wholeTurn } from "../inTurns.ts"
import { Party } from "../largeWork.ts"
import { Lines } from "../lines.ts"
import { makeMessageReader } from "../messageReader.ts"
import type { Share } from "../sharedRoom.ts"
import type { UnreadSockets } from "../unreadSockets.ts"

const Id = Schema.Union([Schema.String, Schema.Finite])

/** What `RpcServer` takes, checked, because it trusts its transport. The payload is checked by the Schema of the request. */
const Message = Schema.Union([
  Schema.TaggedStruct("Request", {
    id: Id,
    tag: Schema.String,
    payload: Schema.optionalKey(Schema.Any),
    headers: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
    traceId: Schema.optionalKey(Schema.String),
    spanId: Schema.optionalKey(Schema.String),
    sampled: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({ _tag: Schema.Literals(["Ack", "Interrupt"]), requestId: Id }),
  Schema.Struct({ _tag: Schema.Literals(["Ping", "Eof"]) })
])

const messageOf = reader(Message)

const BOUNDS = {
  bytes: CONTROL_MESSAGE_MAX_BYTES,
  depth: CONTROL_MESSAGE_MAX_DEPTH,
  nodes: CONTROL_MESSAGE_MAX_VALUES,
  parts: CONTROL_MESSAGE_MAX_PARTS
}

export interface Connection {
  /** Waits while the other end does not read. */
  readonly send: (message: FromServerEncoded) => Effect.Effect<void>
  /** Passes on what arrives, until the connection is closed. */
  readonly receiveAll: (receive: (message: FromClientEncoded) => Effect.Effect<void>) => Effect.Effect<void>
}

/** Returns when the socket has room again, or is closed. */
const roomIn = (socket: Duplex): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const done = () => {
      socket.off("drain", done).off("close", done)
      resume(Effect.void)
    }
    socket.once("drain", done).once("close", done)
    return Effect.sync(() => socket.off("drain", done).off("close", done))
  }).pipe(Effect.timeoutOrElse({ duration: CONTROL_UNREAD_MS, orElse: () => Effect.sync(() => void socket.destroy()) }))

/** What all connections share. */
export interface Shared {
  /** For what has arrived of its last line. */
  readonly room: Share
  /** For its requests under way, one each. */
  readonly requests: Share
  /** Is told of each write. */
  readonly unread: UnreadSockets
}

export const makeConnection = (socket: Duplex, { requests, room, unread }: Shared): Connection => {
  /** Requests without an answer yet. */
  const open = new Set<string | number>()
  /** One message at a time is text that waits to be read: the largest are long, and there may be many. */
  const sending = Semaphore.makeUnsafe(1)
  const lines = new Lines(() => makeMessageReader(BOUNDS))

  /** Whether the other end keeps the rules. */
  const isTaken = (message: FromClientEncoded): boolean => {
    if (message._tag !== "Request") return true
    if (open.has(message.id) || requests.isOver(1)) return false
    open.add(message.id)
    requests.take(1)
    return true
  }

  function* messagesIn(chunk: Uint8Array): Generator<FromClientEncoded | undefined> {
    for (const line of lines.take(chunk)) {
      const message = "message" in line ? messageOf(line.message.read()?.value) : undefined
      yield message !== undefined && isTaken(message as FromClientEncoded) ? (message as FromClientEncoded) : undefined
    }
  }

  return {
    send: (message) =>
      Effect.suspend(() => {
        if (message._tag === "Exit" && open.delete(message.requestId)) requests.take(-1)
        if (socket.destroyed) return Effect.void
        socket.write(`${JSON.stringify(message)}\n`)
        unread.wrote(socket)
        return socket.writableLength > CONTROL_UNREAD_MAX_BYTES ? roomIn(socket) : Effect.void
      }).pipe(sending.withPermit),
    receiveAll: (receive) =>
      Stream.fromAsyncIterable<Uint8Array, unknown>(socket, (error) => error).pipe(
        Stream.runForEach((chunk) =>
          Effect.gen(function* () {
            yield* wholeTurn
            for (const message of messagesIn(chunk)) {
              if (message === undefined) return yield* Effect.fail("no message of the contract")
              yield* receive(message)
              // Its answer may be as long as the lists of all servers.
              yield* wholeTurn
            }
            room.take(lines.heldBytes - room.taken())
            if (room.isOver()) return yield* Effect.fail("too much of a line")
          })
        ),
        // Commands are parties of their own: one that floods does not delay the others.
        Effect.provideService(WorkFor, new Party()),
        // Whatever ends it, the connection is closed: its requests are interrupted then.
        Effect.catchCause((cause) => Effect.logDebug("a connection to the gateway is closed", cause)),
        Effect.ensuring(
          Effect.sync(() => {
            room.take(-room.taken())
            requests.take(-requests.taken())
            open.clear()
            socket.destroy()
          })
        )
      )
  }
}
