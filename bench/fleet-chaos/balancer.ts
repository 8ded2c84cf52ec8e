/**
 * A load balancer, as operators have them: round robin, request by request, over the nodes that say at `/health/ready` that they take requests.
 * A request that a node did not accept goes to the next one; one that was sent is never sent again. What happened to a call is written into its
 * history.
 */
import { once } from "node:events"
import { createServer, get, request, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Calls, Hop } from "./calls.ts"

const LOOK_MS = 500
const LOOK_WITHIN_MS = 1_000

export interface Backend {
  readonly name: string
  readonly origin: string
}

export interface Balancer {
  readonly url: string
  readonly add: (backend: Backend) => void
  readonly remove: (name: string) => void
  readonly ready: () => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

interface Watched extends Backend {
  isReady: boolean
  timer: NodeJS.Timeout | undefined
}

/** The name of the call in a request, if it is one. */
const callIn = (body: Buffer): string | undefined =>
  /"call":"(c\d+)"/.exec(body.subarray(0, 4_096).toString("latin1"))?.[1]

const looked = (origin: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = get(`${origin}/health/ready`, { agent: false, timeout: LOOK_WITHIN_MS }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.once("timeout", () => asked.destroy())
    asked.once("error", () => resolve(false))
    asked.once("close", () => resolve(false))
  })

interface Passing {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
  readonly note: (node: string, said: string) => void
}

const passTo = (backend: Watched, { body, incoming, note, response }: Passing, refused: () => void) => {
  const target = new URL(incoming.url ?? "/", backend.origin)
  const sent = request(target, {
    method: incoming.method,
    agent: false,
    headers: { ...incoming.headers, host: target.host }
  })
  let isConnected = false
  let isAnswered = false
  const broke = (why: string) => {
    note(backend.name, why)
    if (response.headersSent) response.destroy()
    else response.writeHead(502, { "content-type": "text/plain" }).end("the node ended the connection")
  }
  sent.once("socket", (socket) => socket.once("connect", () => (isConnected = true)))
  sent.once("response", (answer) => {
    isAnswered = true
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    answer.pipe(response)
    answer.once("end", () => note(backend.name, `answered ${answer.statusCode}`))
    answer.once("error", () => broke(`broke after status ${answer.statusCode}`))
  })
  sent.once("error", (error) => {
    if (isAnswered) return
    if (isConnected) broke(`broke: ${error.message}`)
    else {
      note(backend.name, "refused the connection")
      backend.isReady = false
      refused()
    }
  })
  response.once("close", () => {
    if (!response.writableFinished) note(backend.name, "the client has left")
    sent.destroy()
  })
  sent.end(body)
}

export const startBalancer = async (calls: Calls): Promise<Balancer> => {
  const backends = new Map<string, Watched>()
  let turn = 0

  /** Those that are ready first; the others if there is nobody else. */
  const order = (): ReadonlyArray<Watched> => {
    const all = [...backends.values()]
    const from = turn++ % Math.max(1, all.length)
    const turned = [...all.slice(from), ...all.slice(0, from)]
    return turned.toSorted((one, other) => Number(other.isReady) - Number(one.isReady))
  }

  const server = createServer((incoming, response) => {
    const parts: Array<Buffer> = []
    incoming.on("data", (part: Buffer) => parts.push(part))
    incoming.on("error", () => {})
    response.on("error", () => {})
    incoming.once("end", () => {
      const body = Buffer.concat(parts)
      const id = callIn(body)
      const resumed = incoming.headers["last-event-id"] === undefined ? undefined : incoming.headers["mcp-session-id"]
      const call = typeof resumed === "string" ? calls.ofSession(resumed) : id === undefined ? undefined : calls.of(id)
      const hops: Array<Hop> | undefined = call?.hops
      const what = resumed === undefined ? "" : "resuming: "
      const note = (node: string, said: string) => void hops?.push({ at: Date.now(), node, said: `${what}${said}` })
      const rest = [...order()]
      const next = () => {
        const backend = rest.shift()
        if (backend === undefined) {
          note("-", "nobody is there")
          return void response.writeHead(503, { "retry-after": "1" }).end("no node is there")
        }
        note(backend.name, "sent")
        passTo(backend, { incoming, response, body, note }, next)
      }
      next()
    })
  })
  server.requestTimeout = 0
  server.listen(0, "127.0.0.1")
  await once(server, "listening")

  const watch = (backend: Watched) => {
    const look = async () => {
      const isReady = await looked(backend.origin)
      if (backends.get(backend.name) !== backend) return
      backend.isReady = isReady
      backend.timer = setTimeout(() => void look(), LOOK_MS)
    }
    void look()
  }
  const remove = (name: string) => {
    clearTimeout(backends.get(name)?.timer)
    backends.delete(name)
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    add: (backend) => {
      const watched: Watched = { ...backend, isReady: false, timer: undefined }
      backends.set(backend.name, watched)
      watch(watched)
    },
    remove,
    ready: () => [...backends.values()].flatMap(({ isReady, name }) => (isReady ? [name] : [])),
    close: async () => {
      for (const name of backends.keys()) remove(name)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
