/**
 * Sends wrong tokens to `mcp-live serve --http`, no two of them the same, each by a connection of its own: whoever is refused is hung up on. It
 * aims at a little more than is wanted, since what is under way at the end does not count. Says what became of them as one line of JSON, and
 * ends with 1 if one was let in.
 *
 *   node wrongTokens.ts URL SAMPLES WAY MS      SAMPLES: tokens of which others are made, as JSON
 */
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { WRONG_TOKENS_PER_MINUTE, type Samples, type Sent, type TokenWay } from "../lib/wrongTokens.ts"

const [url = "", given = "", way, ms] = process.argv.slice(2)
const { hostname, pathname, port } = new URL(url)
const samples = JSON.parse(given) as Samples

const TURN_MS = 5
const PER_MS = (1.1 * WRONG_TOKENS_PER_MINUTE) / 60_000
/** Fewer than the gateway has places for strangers. */
const OPEN_MAX = 384
/** Of ES256. */
const SIGNATURE_BYTES = 64

const random = (bytes: number): string => randomBytes(bytes).toString("base64url")

/** The same token, with another signature each time. */
const signedAnew = (token: string): (() => string) => {
  const signed = token.slice(0, token.lastIndexOf("."))
  return () => `${signed}.${random(SIGNATURE_BYTES)}`
}

const withUnknownKey = (token: string): (() => string) => {
  const [head = "", claims = ""] = token.split(".")
  const header = JSON.parse(Buffer.from(head, "base64url").toString()) as object
  const written = (kid: string) => Buffer.from(JSON.stringify({ ...header, kid })).toString("base64url")
  return () => `${written(random(8))}.${claims}.${random(SIGNATURE_BYTES)}`
}

const inTurns = (one: () => string, other: () => string): (() => string) => {
  let count = 0
  return () => (count++ % 2 === 0 ? one() : other())
}

const WAYS: Readonly<Record<TokenWay, () => string>> = {
  "wrong signatures": signedAnew(samples.good),
  "unknown keys": withUnknownKey(samples.good),
  "expired tokens": signedAnew(samples.expired),
  "another audience or issuer": inTurns(signedAnew(samples.otherAudience), signedAnew(samples.otherIssuer)),
  "opaque tokens": () => random(32)
}
const make = WAYS[way as TokenWay]

const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const BEFORE = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer `
const AFTER =
  "\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n" +
  `content-length: ${BODY.length}\r\n\r\n${BODY}`

const counts = { sent: 0, unauthorized: 0, unavailable: 0, other: 0, refused: 0, letIn: 0 }
const open = new Set<Socket>()

const count = (status: string): void => {
  if (status === "401") counts.unauthorized++
  else if (status === "503") counts.unavailable++
  else if (status.startsWith("2")) counts.letIn++
  else counts.other++
}

const sendOne = (): void => {
  counts.sent++
  const socket = connect(Number(port), hostname)
  open.add(socket)
  socket.once("data", (chunk: Buffer) => {
    count(chunk.toString("latin1", 9, 12))
    socket.destroy()
  })
  socket.once("error", () => counts.refused++)
  socket.once("close", () => open.delete(socket))
  socket.write(BEFORE + make() + AFTER)
}

const began = performance.now()
const finish = (): void => {
  const { letIn, ...rest } = counts
  const { other, refused, sent, unauthorized, unavailable } = rest
  const unanswered = sent - unauthorized - unavailable - other - refused - letIn
  const all: Sent = { ...rest, unanswered, ms: performance.now() - began }
  process.stdout.write(`${JSON.stringify(all)}\n`, () => process.exit(letIn > 0 ? 1 : 0))
}
setInterval(() => {
  const due = (performance.now() - began) * PER_MS
  while (counts.sent < due && open.size < OPEN_MAX) sendOne()
}, TURN_MS)
setTimeout(finish, Number(ms))
process.once("SIGTERM", finish)
