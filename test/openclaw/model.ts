/**
 * A model that does what the person's last message says, over the API that OpenAI made common:
 * `CALL <pattern> {…}` on a line of its own calls the tool whose name the pattern is, once for each such line; then it repeats the
 * last result, its end too when it is long, and says how many images came with it. `ORDER SAME` orders the same of itself by whatever
 * tool takes orders, `ORDER MORE <n>` the same with the next number; `BY <pattern>` behind it names a tool that calls others. `SAY …` is repeated, `\n` as a line break. `SLOW` takes a minute in small pieces, `FAIL` is refused. All else is answered with an echo.
 */
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

interface Message {
  readonly role: string
  readonly content: unknown
}

interface Asked {
  readonly messages?: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<{ readonly function?: { readonly name?: string } }>
}

type Plan = { readonly tool: string; readonly args: string } | { readonly text: string; readonly slow?: boolean }

/** OpenClaw adds messages of its own in the name of the person. */
const NOT_THE_PERSON = /^(<<<BEGIN_OPENCLAW_INTERNAL|Image\(s\) from tool result)/

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("\n")
}

const imagesIn = (content: unknown): number =>
  Array.isArray(content) ? content.filter((part: { readonly type?: string }) => part.type === "image_url").length : 0

/** An order of the agent to itself. */
const orderIn = (text: string): string | undefined => {
  const [, what, by] = /ORDER (SAME|MORE \d+)(?: BY (\S+))?/.exec(text) ?? []
  if (what === undefined) return undefined
  const next = what.replace(/\d+/, (count) => `${Number(count) + 1}`)
  const message = `ORDER ${next}${by === undefined ? "" : ` BY ${by}`}`
  return by === undefined
    ? `CALL .*order_openclaw ${JSON.stringify({ message })}`
    : `CALL ${by} ${JSON.stringify({ id: "self__order_openclaw", args: { message } })}`
}

const planOf = ({ messages = [], tools = [] }: Asked): Plan => {
  const at = messages.findLastIndex(({ content, role }) => role === "user" && !NOT_THE_PERSON.test(textOf(content)))
  const asked = messages[at]
  const given = textOf(asked?.content)
  const text = orderIn(given) ?? given
  const calls = [...text.matchAll(/CALL (\S+) (\{[^\n]*\})/g)]
  const results = messages.slice(at + 1).filter(({ role }) => role === "tool")
  const next = calls[results.length]
  if (next !== undefined) {
    const names = tools.flatMap((tool) => tool.function?.name ?? [])
    const pattern = new RegExp(`^(?:${next[1]})$`)
    const tool = names.find((name) => pattern.test(name))
    return tool === undefined
      ? { text: `NO SUCH TOOL: ${next[1]}. There are: ${names.join(", ")}` }
      : { tool, args: next[2] ?? "{}" }
  }
  if (results.length > 0) {
    const images = messages.slice(at + 1).reduce((count, { content }) => count + imagesIn(content), 0)
    const shown = textOf(results.at(-1)?.content)
    const cut = shown.length > RESULT_CHARS ? `${shown.slice(0, RESULT_CHARS)} … ${shown.slice(-200)}` : shown
    return { text: `RESULT: ${cut}${images === 0 ? "" : `\nIMAGES: ${images}`}` }
  }
  const said = /SAY ([^\n]*)/.exec(text)?.[1]
  if (said !== undefined) return { text: said.replaceAll("\\n", "\n") }
  if (text.includes("SLOW")) return { text: "slowly ".repeat(200), slow: true }
  const before = messages.filter(({ role }) => role === "assistant").length
  return { text: `ECHO ${before} ${imagesIn(asked?.content)}: ${text.replaceAll("\n", " ").slice(0, 2000)}` }
}

const RESULT_CHARS = 2000
const REQUESTS_MAX = 10

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

const stream = async (response: ServerResponse, plan: Plan, id: string) => {
  const base = { id, object: "chat.completion.chunk", created: 1, model: "fake-1" }
  const send = (more: object) => response.write(`data: ${JSON.stringify({ ...base, ...more })}\n\n`)
  const choice = (delta: object, finish: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason: finish }] })
  response.writeHead(200, { "content-type": "text/event-stream" })
  choice({ role: "assistant", content: "" })
  if ("tool" in plan) {
    const called = { index: 0, id: `call_${id}`, type: "function", function: { name: plan.tool, arguments: plan.args } }
    choice({ tool_calls: [called] })
    choice({}, "tool_calls")
  } else {
    for (const piece of plan.text.match(/.{1,40}/gs) ?? []) {
      if (response.destroyed) return
      choice({ content: piece })
      if (plan.slow === true) await new Promise((resolve) => setTimeout(resolve, 1_500))
    }
    choice({}, "stop")
  }
  send({ choices: [], usage })
  response.end("data: [DONE]\n\n")
}

export const startModel = async (): Promise<{ readonly url: string; readonly server: Server }> => {
  let count = 0
  let requests: ReadonlyArray<unknown> = []
  const server = createServer((request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      if (request.url?.endsWith("/asked") === true) {
        response.end(JSON.stringify(requests))
        return
      }
      if (request.url?.includes("/chat/completions") !== true) {
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ object: "list", data: [{ id: "fake-1", object: "model" }] }))
        return
      }
      const asked = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Asked
      requests = [...requests, asked].slice(-REQUESTS_MAX)
      const plan = planOf(asked)
      if ("text" in plan && plan.text.includes("FAIL")) {
        response.statusCode = 400
        response.end(JSON.stringify({ error: { message: "the model has no mind to", type: "invalid_request_error" } }))
        return
      }
      void stream(response, plan, `m${++count}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, server }
}
