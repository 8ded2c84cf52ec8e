/**
 * The stdio link: Effect owns the process, plain functions move the bytes. stderr is always read, into a bounded ring and, a limited number of
 * lines per second, to a listener. The ring also contains texts on stdout that are no messages.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  MESSAGE_MAX_BYTES,
  STDERR_LINE_MAX,
  STDERR_LINES_PER_SECOND,
  STDERR_RING_BYTES,
  WRITE_QUEUE_MAX_BYTES
} from "../../../../schemas/defaults/Wire.ts"
import { linesLeftOut } from "../../../../schemas/connection/ServerLogLine.ts"
import { ServerExited, SpawnFailed } from "../../../../schemas/connection/ConnectError.ts"
import { ConnectionLost, type RequestError } from "../../../../schemas/connection/RequestError.ts"
import { feed, type Feed, type FeedTurns } from "../rpc/feed.ts"
import { makeLineReader } from "./framing.ts"
import { answeredId } from "../rpc/readText.ts"
import { notSendable, textOf, type Link, type OutgoingMessage } from "../rpc/Link.ts"
import { Peer, type PeerHooks } from "../rpc/Peer.ts"
import { launch, type ProcessSpec, type ServerProcess } from "../../../../system/process/process.ts"
import { withoutTags } from "../../../../system/process/tag.ts"
import { writeTogether } from "../../../../system/writeTogether.ts"
import type { Session } from "../rpc/Session.ts"
import { inLine, keptFor } from "../../../../schemas/content/ServerText.ts"
import { throttled } from "../rpc/throttled.ts"

export interface StdioHooks extends PeerHooks {
  /** One line of stderr, unchanged. */
  readonly onStderr: (line: string) => void
}

/** How long the pipes may still deliver output after the process has exited: usually, and while there is something left to read. */
const DRAIN_MS = 100
const DRAIN_MAX_MS = 2_000
const DRAIN_LOOK_MS = 5
/** Stack frames do not help the person who reads the error. */
const STACK_LINE = /^\s*$|^\s+at |^Node\.js v\d/
/** The size that each line counts besides its text, so that there cannot be too many empty ones. */
const LINE_COST = 64
const LAST_WORDS_LINES = 5
const LAST_WORDS_CHARS = 500

const makeLink = (server: string, child: ServerProcess): Link => {
  const write = writeTogether(child.stdin)
  const lost = (detail: string, maybeExecuted: boolean) => new ConnectionLost({ server, detail, maybeExecuted })
  /** Sends a message, or returns why that is not possible. */
  const sent = (message: OutgoingMessage): RequestError | undefined => {
    if (!child.stdin.writable) return lost("the server closed its input", false)
    const text = textOf(message)
    if (text === undefined) return notSendable(server)
    const queued = child.stdin.writableLength
    if (queued > 0 && queued + text.length > WRITE_QUEUE_MAX_BYTES) return lost("the server reads no input", false)
    write(`${text}\n`)
    return undefined
  }
  return {
    send: (message, sender) => {
      const failure = sent(message)
      if (failure !== undefined) sender.failed(failure)
      return undefined
    }
  }
}

/** Keeps the last lines, and passes on a limited number per second. */
const collectStderr = (child: ServerProcess, hooks: StdioHooks, turns: FeedTurns) => {
  const ring: Array<string> = []
  let ringSize = 0
  const passOn = throttled(STDERR_LINES_PER_SECOND, hooks.onStderr, linesLeftOut)

  const push = (line: string): string => {
    const short = keptFor(withoutTags(line), STDERR_LINE_MAX)
    ring.push(short)
    ringSize += short.length + LINE_COST
    while (ringSize > STDERR_RING_BYTES) ringSize -= ring.shift()!.length + LINE_COST
    return short
  }
  const keep = (line: string) => passOn(push(line))

  // All that was read of a line that is too long: how much of it is shown is known after it is cleaned.
  const reader = makeLineReader(STDERR_RING_BYTES, { onLine: keep, onOversize: keep }, STDERR_RING_BYTES)
  // The last line of a process often has no line break.
  const fed = feed(child.stderr, reader, turns, reader.end)
  child.stderr.on("error", () => {})
  /** Adds a text from stdout. */
  const note = (text: string) => push(keptFor(text, STDERR_LINE_MAX))
  const lastWords = () =>
    ring
      .filter((line) => !STACK_LINE.test(line))
      .slice(-LAST_WORDS_LINES)
      .map((line) => inLine(line, hooks.tidy, LAST_WORDS_CHARS))
      .join(" | ")
      .slice(-LAST_WORDS_CHARS)
  return { fed, lastWords, note }
}

/** Starts the server and attaches a peer to its pipes. The Scope owns the process tree. */
export const openStdio = Effect.fnUntraced(function* (
  server: string,
  spec: ProcessSpec,
  hooks: StdioHooks
): Effect.fn.Return<Session, SpawnFailed, Scope.Scope> {
  const child = yield* launch(server, spec).pipe(
    Effect.mapError(
      ({ detail, passing }) =>
        new SpawnFailed({ server, command: spec.command, detail, ...(passing ? { passing } : undefined) })
    )
  )
  const closed = yield* Deferred.make<never, ServerExited | ConnectionLost>()
  const turns: FeedTurns = { large: hooks.loop.large, allowance: hooks.loop.allowance() }
  const { fed: stderr, lastWords, note } = collectStderr(child, hooks, turns)
  const peer = new Peer(server, makeLink(server, child), {
    ...hooks,
    remote: { transport: "stdio", server },
    onAnswered: turns.allowance.answered,
    onRubbish: note
  })
  const end = (reason: ServerExited | ConnectionLost) => {
    peer.close(reason)
    Deferred.doneUnsafe(closed, Effect.fail(reason))
  }

  const stdout = makeLineReader(MESSAGE_MAX_BYTES, {
    onLine: (line) => peer.receiveText(line),
    onOversize: (head, tail) => peer.receiveOversize(answeredId(head, tail)),
    onOverflow: (head) => {
      const id = answeredId(head, "")
      if (id !== undefined) peer.receiveOversize(id)
      return id !== undefined
    }
  })
  // A process that only closed its pipes cannot be used either. Its exit may follow and explain it, so wait a moment.
  const unreachable = (detail: string) => () => {
    setTimeout(() => end(new ConnectionLost({ server, detail, maybeExecuted: false })), DRAIN_MS).unref()
  }
  const output = feed(child.stdout, stdout, turns, unreachable("the server closed its output"))
  child.stdout.on("error", () => {})
  child.stdin.on("error", unreachable("the server closed its input"))

  yield* child.exited.pipe(
    Effect.tap(() =>
      Effect.callback<void>((resume) => whenDrained(child, [output, stderr], () => resume(Effect.void)))
    ),
    Effect.tap(({ code, signal }) =>
      Effect.sync(() => end(new ServerExited({ server, code, signal, stderr: lastWords() })))
    ),
    Effect.forkScoped
  )
  // When our Scope closes, requests in flight fail before the process is stopped.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => end(new ConnectionLost({ server, detail: "closed by the gateway", maybeExecuted: false })))
  )

  return {
    server,
    transport: "stdio",
    pid: child.pid,
    peer,
    closed: Deferred.await(closed),
    lastWords,
    tidy: hooks.tidy,
    setProtocolVersion: () => {}
  }
})

/** Calls back when both pipes were read to their end, or after a while if a grandchild keeps one of them open. */
function whenDrained(child: ServerProcess, feeds: ReadonlyArray<Feed>, done: () => void) {
  for (const { drain } of feeds) drain()
  const from = performance.now()
  const isOver = () =>
    performance.now() - from > (feeds.some(({ hasMore }) => hasMore()) ? DRAIN_MAX_MS : DRAIN_MS) ||
    ([child.stdout, child.stderr].every((pipe) => pipe.readableEnded || pipe.destroyed) &&
      !feeds.some(({ hasMore }) => hasMore()))
  const look = () => {
    if (isOver()) return done()
    setTimeout(look, DRAIN_LOOK_MS)
  }
  look()
}
