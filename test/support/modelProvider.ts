/** A model provider on the loopback interface that speaks the OpenAI chat protocol and answers from a script. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Request {
  readonly authorization: string | undefined
  readonly model: string
  /** Absent when the whole answer is wanted at once. */
  readonly stream?: boolean
  readonly max_tokens?: number
  readonly temperature?: number
  readonly stop?: ReadonlyArray<string>
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown; readonly tool_calls?: unknown }>
  readonly tools: ReadonlyArray<{ readonly function: { readonly name: string; readonly parameters: unknown } }>
}

export type Reply =
  | {
      readonly text: ReadonlyArray<string>
      readonly finish?: string
      readonly hang?: boolean
      /** It is given then, and not before. */
      readonly after?: Promise<unknown>
    }
  | { readonly thought: string; readonly text: ReadonlyArray<string> }
  | {
      /** In front of the calls. */
      readonly said?: ReadonlyArray<string>
      readonly calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly args: string }>
    }
  | { readonly status: number; readonly message: string; readonly headers?: Record<string, string> }

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const end = `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage })}\n\ndata: [DONE]\n\n`

const stream = (reply: Exclude<Reply, { readonly status: number }>): ReadonlyArray<string> =>
  "calls" in reply
    ? [
        ...(reply.said ?? []).map((content) => chunk({ content })),
        chunk({
          role: "assistant",
          tool_calls: reply.calls.map(({ args, id, name }, index) => ({
            index,
            id,
            type: "function",
            function: { name, arguments: args }
          }))
        }),
        chunk({}, "tool_calls"),
        end
      ]
    : [
        ...("thought" in reply ? [chunk({ reasoning_content: reply.thought })] : []),
        ...reply.text.map((content) => chunk({ content })),
        ...("hang" in reply ? [] : [chunk({}, "finish" in reply ? reply.finish : "stop"), end])
      ]

/** The text of a reply as one document. */
const whole = (reply: Exclude<Reply, { readonly status: number }>): string =>
  JSON.stringify({
    id: "1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "text" in reply ? reply.text.join("") : "" },
        finish_reason: "finish" in reply ? reply.finish : "stop"
      }
    ],
    usage
  })

interface Provider {
  readonly baseUrl: string
  readonly requests: ReadonlyArray<Request>
  /** Other replies from the next request on. */
  readonly reply: (...replies: ReadonlyArray<Reply>) => void
  /** Returns once the first request is there. */
  readonly requested: Effect.Effect<void>
  /** Returns once a client has gone away before its answer was complete. */
  readonly hungUp: Effect.Effect<void>
  readonly close: () => void
}

/** Answers the n-th request with the n-th reply, the last one for ever after. */
export const provider = (...replies: ReadonlyArray<Reply>) =>
  Effect.acquireRelease(
    Effect.callback<Provider>((resume) => {
      const requests: Array<Request> = []
      let [script, before] = [replies, 0]
      const requested = Deferred.makeUnsafe<void>()
      const hungUp = Deferred.makeUnsafe<void>()
      const server = createServer((request, response) => {
        const body: Array<Buffer> = []
        request.on("data", (data: Buffer) => body.push(data))
        request.on("end", () => {
          const asked: Request = {
            ...JSON.parse(Buffer.concat(body).toString()),
            authorization: request.headers.authorization
          }
          requests.push(asked)
          Deferred.doneUnsafe(requested, Effect.void)
          const reply = script[Math.min(requests.length - before, script.length) - 1]!
          response.on("close", () => {
            if (!response.writableFinished) Deferred.doneUnsafe(hungUp, Effect.void)
          })
          const give = () => {
            if ("status" in reply) {
              response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
              response.end(JSON.stringify({ error: { message: reply.message } }))
              return
            }
            if (asked.stream !== true) {
              response.writeHead(200, { "content-type": "application/json" })
              if ("hang" in reply) response.flushHeaders()
              else response.end(whole(reply))
              return
            }
            response.writeHead(200, { "content-type": "text/event-stream" })
            for (const event of stream(reply)) response.write(event)
            if (!("hang" in reply)) response.end()
          }
          if ("after" in reply && reply.after !== undefined) void reply.after.then(give)
          else give()
        })
      })
      const close = () => {
        server.close()
        server.closeAllConnections()
      }
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(
          Effect.succeed({
            baseUrl: `http://127.0.0.1:${port}/v1`,
            requests,
            reply: (...next) => {
              script = next
              before = requests.length
            },
            requested: Deferred.await(requested),
            hungUp: Deferred.await(hungUp),
            close
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )
