/**
 * A client that pours one thing at `mcp-live serve --http`, for so long.
 *
 *   node floodingClient.ts URL TOKEN WAY MS
 */
import { headOf, open, post, postChunked } from "../../test/fixtures/hostile-client/http.ts"
import type { HttpStage } from "../../test/fixtures/hostile-client/scenario.ts"
import { UNITS } from "../../test/fixtures/hostile-client/scenarios/long.ts"
import { filled, just, KIB, lengthOf, MIB, within, type Text } from "../../test/fixtures/hostile-client/text.ts"
import { LISTENER_CALL_MAX_BYTES, LISTENER_CALL_MAX_PARTS } from "../../src/schemas/defaults/Listener.ts"
import { begin, sessionOf } from "../../test/support/rawHttp.ts"
import type { ClientWay } from "../cases/flood.ts"

const [url = "", token = "", way, ms] = process.argv.slice(2)
const until = performance.now() + Number(ms)
const { pathname, port } = new URL(url)
const session = sessionOf(await begin(url, token))

const calling = (value: Text): Text =>
  within(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp_theirs_echo","arguments":{"text":',
    value,
    "}}}"
  )

const stage: HttpStage = {
  door: "serve-http",
  port: Number(port),
  path: pathname,
  token,
  session,
  foreignSession: session,
  request: (_, text) => calling(within('"', text, '"'))
}

const LENGTH = LISTENER_CALL_MAX_BYTES - 4 * KIB
const UPLOAD_BYTES = 100 * MIB

const long = (unit: keyof typeof UNITS) => () => post(stage, stage.request(1, filled("", UNITS[unit], LENGTH, "")))

/** Leaves the connection as it is: who is at the other end may end it. */
const half = async () => {
  const { closed, write } = await open(stage.port)
  const body = filled('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"', "x", UPLOAD_BYTES, '"}}')
  await write(just(headOf(stage, { "content-length": String(lengthOf(body)) })))
  await write(body, UPLOAD_BYTES / 2)
  await closed
}

const slowly = async () => {
  const { closed, socket, write } = await open(stage.port)
  await write(just(headOf(stage, { "content-length": String(MIB) })))
  const timer = setInterval(() => void write(just("x")), 2)
  socket.once("close", () => clearInterval(timer))
  await closed
}

const unread = async () => {
  const { closed, socket, write } = await open(stage.port)
  socket.pause()
  const body = stage.request(1, filled("", "words ", MIB, ""))
  await write(just(headOf(stage, { "content-length": String(lengthOf(body)) })))
  await write(body)
  await closed
}

const HELLO = just(
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'
)

/** Sends nothing, and takes its core as the others do. */
const busy = async () => {
  while (performance.now() < until);
}

/** What is done again and again, and how often at once. */
const WAYS: Readonly<Record<ClientWay, readonly [number, () => Promise<unknown>]>> = {
  nothing: [1, busy],
  "wide bodies": [8, () => postChunked(stage, filled("[", "{},", 64 * MIB, "{}]"))],
  "wide arguments": [8, () => post(stage, calling(filled("[", "{},", (LISTENER_CALL_MAX_PARTS - 100) * 3, "{}]")))],
  "deep bodies": [8, () => postChunked(stage, filled("", "[", 64 * MIB, ""))],
  "long escapes": [4, long("escapes")],
  "long zero-width": [4, long("zero-width")],
  "long percents": [4, long("percents")],
  "long written escapes": [4, long("written escapes")],
  "long less-than": [4, long("less-than")],
  "long markers": [4, long("markers")],
  "long Hindi": [4, long("Hindi")],
  "long base64": [4, long("base64")],
  "uploads that stop half-way": [20, half],
  "slow bodies": [200, slowly],
  "slow readers": [200, unread],
  "many sessions": [32, () => post(stage, HELLO, { "mcp-session-id": undefined })],
  "many small calls": [32, () => post(stage, stage.request(1, just("x")))]
}

const [atOnce, again] = WAYS[way as ClientWay]
const one = async () => {
  while (performance.now() < until) await again()
}
setTimeout(() => process.exit(0), Number(ms))
await Promise.all(Array.from({ length: atOnce }, one))
process.exit(0)
