/** The largest order that there may be, written piece by piece, and a model that tells which media it was given. */
import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Writable } from "node:stream"
import { ORDER_FILES_MAX, ORDER_IMAGES_MAX, ORDER_MEDIA_MAX_BYTES } from "../../../src/schemas/defaults/Orders.ts"
import { ORDER } from "./program.ts"

/** Each begins with nine bytes, of which the last is its number: so its base64 is twelve characters of its own, and the same rest. */
const HEADS = {
  "image/png": Buffer.from("89504e470d0a1a0a", "hex"),
  "application/pdf": Buffer.from("%PDF-1.1")
} as const
type Type = keyof typeof HEADS
const HEAD_BYTES = 9

const REST = randomBytes(ORDER_MEDIA_MAX_BYTES - HEAD_BYTES).toString("base64")
const headOf = (type: Type, index: number) => Buffer.concat([HEADS[type], Buffer.from([index])]).toString("base64")
const numbered = (type: Type, many: number) => Array.from({ length: many }, (_, index) => headOf(type, index))

const IMAGES = numbered("image/png", ORDER_IMAGES_MAX)
const FILES = numbered("application/pdf", ORDER_FILES_MAX)

export const MEDIA_BYTES = (ORDER_IMAGES_MAX + ORDER_FILES_MAX) * ORDER_MEDIA_MAX_BYTES

/** Of the base64 of each medium. */
export const DIGESTS = [...IMAGES, ...FILES].map((head) =>
  createHash("sha256")
    .update(head + REST)
    .digest("hex")
)

const media = (type: Type, heads: ReadonlyArray<string>) =>
  heads.flatMap((head, index) => [`${index === 0 ? "" : ","}{"mimeType":"${type}","data":"${head}`, REST, `"}`])

/** The request, as one line. */
export const LARGEST: ReadonlyArray<string> = [
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${ORDER}","arguments":{"message":"look","images":[`,
  ...media("image/png", IMAGES),
  `],"files":[`,
  ...media("application/pdf", FILES),
  "]}}}"
]

const PIECE_CHARS = 1024 * 1024

/** As fast as it is taken. */
export const write = async (to: Writable, pieces: ReadonlyArray<string>): Promise<void> => {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += PIECE_CHARS) {
      if (to.write(piece.slice(at, at + PIECE_CHARS), "latin1")) continue
      await new Promise<void>((resolve) => to.once("drain", resolve))
    }
  }
}

export interface Posted {
  readonly request: Writable
  readonly answer: Promise<{ readonly status: number; readonly text: string; readonly session: string }>
}

/** A request of which the body is written later. */
export const post = (url: string, headers: Readonly<Record<string, string>>): Posted => {
  const sent = request(url, {
    method: "POST",
    agent: false,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers }
  })
  const answer = new Promise<Awaited<Posted["answer"]>>((resolve, reject) => {
    sent.on("error", reject)
    sent.on("response", (got) => {
      let text = ""
      got.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      got.on("end", () =>
        resolve({ status: got.statusCode ?? 0, text, session: String(got.headers["mcp-session-id"]) })
      )
    })
  })
  // Who does not look at it has written too much to somebody who is gone.
  answer.catch(() => {})
  return { request: sent, answer }
}

const MARK = ";base64,"

/** Finds each `data:…;base64,…"` in a text that comes in pieces. */
const makeFinder = () => {
  const digests: Array<string> = []
  let before = ""
  let hash: ReturnType<typeof createHash> | undefined
  const take = (text: string): void => {
    if (hash !== undefined) {
      const end = text.indexOf('"')
      hash.update(end === -1 ? text : text.slice(0, end))
      if (end === -1) return
      digests.push(hash.digest("hex"))
      hash = undefined
      return take(text.slice(end))
    }
    const all = before + text
    const at = all.indexOf(MARK)
    before = all.slice(-MARK.length + 1)
    if (at === -1) return
    before = ""
    hash = createHash("sha256")
    take(all.slice(at + MARK.length))
  }
  return { take, digests }
}

const event = (choice: object) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, finish_reason: null, delta: {}, ...choice }] })}\n\n`
const YES = `${event({ delta: { content: "Yes." } })}${event({ finish_reason: "stop" })}data: [DONE]\n\n`

/** Answers each request when it is told to. */
export const model = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked: Array<{ readonly digests: ReadonlyArray<string>; readonly response: ServerResponse }> = []
    const heard = new Set<() => void>()
    const server = createServer((incoming, response) => {
      const { digests, take } = makeFinder()
      incoming.setEncoding("latin1").on("data", take)
      incoming.on("end", () => {
        asked.push({ digests, response })
        for (const look of heard) look()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      /** The next request, once it is there whole: what was in it, and its answer. */
      next: () =>
        new Promise<{ readonly digests: ReadonlyArray<string>; readonly answer: () => void }>((resolve) => {
          const look = () => {
            const one = asked.shift()
            if (one === undefined) return
            heard.delete(look)
            const { digests, response } = one
            resolve({
              digests,
              answer: () => void response.writeHead(200, { "content-type": "text/event-stream" }).end(YES)
            })
          }
          heard.add(look)
          look()
        }),
      close: () => {
        server.close()
        server.closeAllConnections()
      }
    }
  }),
  ({ close }) => Effect.sync(close)
)

/** Bytes of memory: now, and at the most so far. */
export const memoryOf = (pid: number) => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  return { now: bytes("VmRSS"), most: bytes("VmHWM") }
}
