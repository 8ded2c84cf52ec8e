/** The program as an editor runs it: a child process, with the SDK's own client at the other end of its pipes. */
import { MAIN } from "../../support/built.ts"
import * as acp from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import { spawn, type ChildProcess } from "node:child_process"
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { inFixtures, serverPath } from "../../fixtures/servers.ts"
import { heardText, type HeardText } from "../../support/heardText.ts"
import { inFolder as folder } from "../../support/folder.ts"
import { shared as sharedByTests } from "../../support/shared.ts"

export { inFolder as folder } from "../../support/folder.ts"

export type Update = acp.SessionNotification["update"]
type Answer = (request: acp.RequestPermissionRequest) => unknown

export interface Options {
  /** What is run; the program's sources when left out. */
  readonly program?: string
  /** More of the command line. */
  readonly args?: ReadonlyArray<string>
  /** Written as the configuration; none when left out. */
  readonly config?: unknown
  /** The data directory; a fresh one when left out. */
  readonly home?: string
  readonly env?: Record<string, string>
  /** How the person answers questions; they never do when left out. */
  readonly answer?: Answer
  readonly notices?: boolean
}

export interface Editor {
  readonly agent: acp.ClientContext
  readonly child: ChildProcess
  /** The configuration, if there is one. */
  readonly file: string
  readonly initialized: acp.InitializeResponse
  readonly updates: Array<acp.SessionNotification>
  readonly asked: Array<acp.RequestPermissionRequest>
  /** What the program wrote to stderr. */
  readonly log: () => string
  /** Returns once that matches. */
  readonly logged: HeardText["logged"]
  /** What it wrote to stdout. */
  readonly wire: () => string
  /** Returns with the first update that fits. */
  readonly until: (fits: (update: Update, sessionId: string) => boolean) => Promise<Update>
  /** Returns with the first question to the person. */
  readonly untilAsked: Promise<void>
  /** Ends its stdin, and returns with how it ended. */
  readonly leave: () => Promise<number | null>
  readonly exited: Promise<number | null>
}

/** The whole environment of the program: nothing of the machine's own configuration is found. */
export const start = Effect.fnUntraced(function* (options: Options = {}) {
  const home = options.home ?? (yield* folder)
  const place = yield* folder
  const file = join(place, "mcp.json")
  if (options.config !== undefined) writeFileSync(file, JSON.stringify(options.config))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        process.execPath,
        [
          options.program ?? MAIN,
          "acp",
          ...(options.args ?? []),
          ...(options.config === undefined ? [] : ["--config", file])
        ],
        {
          cwd: place,
          env: { PATH: process.env["PATH"], HOME: place, MCP_LIVE_HOME: home, ...options.env },
          stdio: ["pipe", "pipe", "pipe"]
        }
      )
    ),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve))
  const log = heardText()
  let wire = ""
  child.stderr!.setEncoding("utf8").on("data", log.hear)
  child.stdout!.on("data", (bytes: Buffer) => (wire += bytes.toString("latin1")))
  child.stdin!.on("error", () => {})

  const updates: Array<acp.SessionNotification> = []
  const asked: Array<acp.RequestPermissionRequest> = []
  const listeners = new Set<() => void>()
  let wasAsked = () => {}
  const untilAsked = new Promise<void>((resolve) => (wasAsked = resolve))
  const connection = acp
    .client({ name: "test" })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      updates.push(params)
      for (const listener of listeners) listener()
    })
    .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params)
      wasAsked()
      return ((await options.answer?.(params)) ?? new Promise(() => {})) as acp.RequestPermissionResponse
    })
    .connect(
      acp.ndJsonStream(
        Writable.toWeb(child.stdin!),
        Readable.toWeb(child.stdout!) as unknown as ReadableStream<Uint8Array>
      )
    )
  const initialized = yield* Effect.promise(() =>
    connection.agent.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: options.notices === false ? {} : { session: { notices: {} } }
    })
  )
  const until: Editor["until"] = (fits) =>
    new Promise((resolve) => {
      const look = () => {
        const found = updates.find(({ sessionId, update }) => fits(update, sessionId))
        if (found === undefined) return
        listeners.delete(look)
        resolve(found.update)
      }
      listeners.add(look)
      look()
    })
  const leave = () => {
    child.stdin!.end()
    return exited
  }
  return {
    agent: connection.agent,
    child,
    file,
    initialized,
    updates,
    asked,
    log: log.text,
    logged: log.logged,
    wire: () => wire,
    until,
    untilAsked,
    leave,
    exited
  } as Editor
})

/** One program for the tests of a file that need nothing else of it: each has a session of its own. Started by the first of them. */
export const shared = (options: Options = {}): Effect.Effect<Editor> => sharedByTests(start(options))

const entry = (name: string, args: ReadonlyArray<string>, env: Record<string, string> = {}): acp.McpServer => ({
  name,
  command: process.execPath,
  args: [...args],
  env: Object.entries(env).map(([key, value]) => ({ name: key, value }))
})

/** `server-everything`, as an editor writes it. */
export const everything = (name = "everything") => entry(name, [serverPath("everything"), "stdio"])

/** The server that does what it is told: `env`, `pid`, `cwd`, `echo`, `sh`. */
export const shell = (name = "shell", env: Record<string, string> = {}, ...options: ReadonlyArray<string>) =>
  entry(name, [inFixtures("shell.ts"), ...options], env)

/** Every sort of content, progress and calls that hang. */
export const media = (name = "media", ...options: ReadonlyArray<string>) =>
  entry(name, [inFixtures("media.ts"), ...options])

export const { agent: methods } = acp.methods

export const newSession = (editor: Editor, mcpServers: Array<acp.McpServer> = [], cwd = tmpdir()) =>
  Effect.promise(() =>
    editor.agent.request(methods.session.new, { cwd, mcpServers }).then(({ sessionId }) => sessionId)
  )

export const prompt = (editor: Editor, sessionId: string, text: string) =>
  Effect.promise(() => editor.agent.request(methods.session.prompt, { sessionId, prompt: [{ type: "text", text }] }))

/** The error that a request is answered with. */
export const refusal = (work: () => Promise<unknown>) =>
  Effect.promise(() =>
    work().then(
      () => Promise.reject(new Error("it was granted")),
      (error: acp.RequestError) => ({ code: error.code, message: error.message, data: error.data })
    )
  )

export const updatesOf = (editor: Editor, sessionId: string): ReadonlyArray<Update> =>
  editor.updates.flatMap((one) => (one.sessionId === sessionId ? [one.update] : []))

/** Calls a tool directly, and gives the last word on it. */
export const call = (editor: Editor, sessionId: string, tool: string, args: object = {}) =>
  Effect.gen(function* () {
    const before = editor.updates.length
    yield* prompt(editor, sessionId, `/call ${tool} ${JSON.stringify(args)}`)
    const ended = editor.updates
      .slice(before)
      .findLast((one) => one.sessionId === sessionId && one.update.sessionUpdate === "tool_call_update")
    const update = ended?.update as Extract<Update, { sessionUpdate: "tool_call_update" }> | undefined
    const { text } = (update?.rawOutput ?? {}) as { text?: string }
    return { status: update?.status, content: (update?.content ?? []).map((one) => Reflect.get(one, "content")), text }
  })

export const noticesIn = (editor: Editor, sessionId: string): ReadonlyArray<string> =>
  updatesOf(editor, sessionId).flatMap((update) =>
    update.sessionUpdate === "notice" ? [[update.title, update.description ?? ""].join("\n").trim()] : []
  )

/** What the agent said. */
export const saidIn = (editor: Editor, sessionId: string): string =>
  updatesOf(editor, sessionId)
    .flatMap((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : []
    )
    .join("")
