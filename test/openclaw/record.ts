/**
 * Records what the real gateway sends, once, for the fake one of the ordinary tests: `node test/openclaw/record.ts`. Ids, times
 * and paths, which differ from run to run, are replaced; what is long and of no interest is cut.
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { startGateway } from "./gateway.ts"

/** Whatever comes. */
interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any
}

const FRAMES = fileURLToPath(new URL("../fixtures/openclaw/frames/", import.meta.url))
const TERMINAL = new Set(["final", "aborted", "error"])
const KEY = "agent:main:recorded"
const INTERESTING = new Set(["chat", "agent"])

const openSocket = async (url: string, token: string) => {
  const socket = new WebSocket(url)
  const waiting = new Map<string, (frame: Json) => void>()
  const listeners = new Set<(frame: Json) => void>()
  let count = 0
  const ask = (method: string, params: Json) =>
    new Promise<Json>((resolve) => {
      const id = `r${++count}`
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ type: "req", id, method, params }))
    })
  const connected = await new Promise<{ challenge: Json; answer: Json }>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as Json
      waiting.get(frame["id"] as string)?.(frame)
      for (const listener of listeners) listener(frame)
      if (frame["event"] !== "connect.challenge") return
      void ask("connect", {
        minProtocol: 4,
        maxProtocol: 4,
        client: { id: "gateway-client", version: "0.1.0", platform: "linux", mode: "backend" },
        role: "operator",
        scopes: ["operator.read", "operator.write", "operator.admin"],
        caps: ["tool-events"],
        auth: { token }
      }).then((answer) => resolve({ challenge: frame, answer }))
    })
  })
  return { ...connected, ask, listeners, close: () => socket.close() }
}

type Socket = Awaited<ReturnType<typeof openSocket>>

const untilReady = async (url: string, token: string): Promise<{ socket: Socket; starting: Json | undefined }> => {
  let starting: Json | undefined
  while (true) {
    const socket = await openSocket(url, token)
    if (socket.answer["ok"] === true) return { socket, starting }
    starting = socket.answer
    socket.close()
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** All frames of one answer, from `chat.send` on. */
const record = async (socket: Socket, message: string, onFirstText?: () => Promise<unknown>) => {
  const runId = crypto.randomUUID()
  const frames: Array<Json> = []
  let isAsked = false
  const ended = new Promise<void>((resolve) => {
    const listener = (frame: Json) => {
      const payload = frame["payload"] as Json | undefined
      if (frame["type"] !== "event" || !INTERESTING.has(frame["event"] as string) || payload?.["runId"] !== runId)
        return
      frames.push(frame)
      if (!isAsked && payload["stream"] === "assistant") {
        isAsked = true
        void onFirstText?.()
      }
      if (frame["event"] === "chat" && TERMINAL.has(payload["state"] as string)) {
        socket.listeners.delete(listener)
        resolve()
      }
    }
    socket.listeners.add(listener)
  })
  const ack = await socket.ask("chat.send", { sessionKey: KEY, message, idempotencyKey: runId })
  await ended
  return { runId, ack, frames }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TEMPORARY = /\/[^\s"']*mcp-live-openclaw-[^/"'\s]+/g
/** The model repeats what OpenClaw adds to a message. */
const RUNTIME = /\s*Runtime: agent=[^"]*/g
const DROPPED = new Set([
  "session",
  "terminalReceipt",
  "deltaCursor",
  "transcriptPosition",
  "transport",
  "defaults",
  "sessionInfo"
])

const tidy = (value: unknown, runId: string): unknown => {
  if (typeof value === "string") {
    return value
      .replaceAll(runId, "{{runId}}")
      .replaceAll(KEY, "{{sessionKey}}")
      .replace(UUID, "00000000-0000-4000-8000-000000000000")
      .replace(TEMPORARY, "/home/someone")
      .replace(RUNTIME, "")
  }
  if (typeof value === "number") return value > 1_500_000_000_000 ? 1_790_000_000_000 : value
  if (Array.isArray(value)) return value.map((item) => tidy(item, runId))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !DROPPED.has(key))
      .map(([key, item]) => [key, tidy(item, runId)])
  )
}

const write = (name: string, value: unknown, runId = "no run") =>
  writeFileSync(`${FRAMES}${name}.json`, `${JSON.stringify(tidy(value, runId), null, 2)}\n`)

const gateway = await startGateway()
try {
  const { socket, starting } = await untilReady(gateway.url, gateway.token)
  const { answer, challenge } = socket
  const { features, policy, protocol, server, snapshot, type } = answer["payload"] as Json
  write("challenge", { ...challenge, payload: { nonce: "{{nonce}}", ts: 1_790_000_000_000 } })
  write("hello", {
    type,
    protocol,
    server: { ...server, connId: "c" },
    features: {
      methods: (features.methods as Array<string>).slice(0, 5),
      events: (features.events as Array<string>).slice(0, 5)
    },
    snapshot: { sessionDefaults: snapshot.sessionDefaults, uptimeMs: snapshot.uptimeMs },
    auth: { method: "token", role: "operator", scopes: answer["payload"].auth.scopes },
    policy
  })
  if (starting !== undefined) write("starting", starting)
  const refused = await openSocket(gateway.url, "not-the-token")
  write("wrongToken", refused.answer)
  write("unknownMethod", await socket.ask("no.such.method", {}))
  for (const [name, message] of [
    ["plain", "hello"],
    ["tool", 'CALL read {"path":"nothing.txt"}'],
    ["failed", "FAIL"]
  ] as const) {
    const { ack, frames, runId } = await record(socket, message)
    write(name, { ack, frames }, runId)
  }
  const slow = await record(socket, "SLOW", () => socket.ask("chat.abort", { sessionKey: KEY }))
  write("aborted", { ack: slow.ack, frames: slow.frames }, slow.runId)
  write("history", await socket.ask("chat.history", { sessionKey: KEY, limit: 50 }))
  write("deleted", await socket.ask("sessions.delete", { key: KEY }))
  socket.close()
} finally {
  await gateway.stop()
}
process.exit(0)
