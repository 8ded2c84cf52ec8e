/**
 * Sends wrong tokens to `mcp-live serve --http`, 100,000 a minute, no two of them the same, each by a connection of its own. Ends with 1 if
 * one was let in, or if nobody answers.
 *
 *   node wrongTokens.ts URL TOKEN WAY MS      TOKEN is a good one, of which others are made
 */
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { WRONG_TOKENS_PER_MINUTE, type TokenWay } from "../cases/flood.ts"

const [url = "", good = "", way, ms] = process.argv.slice(2)
const { hostname, pathname, port } = new URL(url)
const [head = "", claims = "", signature = ""] = good.split(".")

const TURN_MS = 5
const PER_MS = WRONG_TOKENS_PER_MINUTE / 60_000
const SIGNATURE_BYTES = Buffer.from(signature, "base64url").length

const written = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const random = (bytes: number): string => randomBytes(bytes).toString("base64url")
const header = JSON.parse(Buffer.from(head, "base64url").toString()) as object

const WAYS: Readonly<Record<TokenWay, () => string>> = {
  "bad signatures": () => `${head}.${claims}.${random(SIGNATURE_BYTES)}`,
  "unknown keys": () => `${written({ ...header, kid: random(8) })}.${claims}.${random(SIGNATURE_BYTES)}`,
  "opaque tokens": () => random(32),
  "no algorithm": () => `${written({ ...header, alg: "none", nonce: random(8) })}.${claims}.`,
  "random strings": () => `${random(24)}.${random(120)}.${random(SIGNATURE_BYTES)}`
}
const make = WAYS[way as TokenWay]

const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const counts = { sent: 0, answered: 0, letIn: 0, failed: 0 }

const sendOne = (): void => {
  counts.sent++
  const socket = connect(Number(port), hostname)
  socket.once("data", (chunk: Buffer) => {
    counts.answered++
    if (chunk.toString("latin1").startsWith("HTTP/1.1 2")) counts.letIn++
    socket.destroy()
  })
  socket.once("error", () => counts.failed++)
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${make()}\r\ncontent-type: application/json\r\n` +
      `accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`
  )
}

const began = performance.now()
const finish = (): void => {
  if (counts.letIn > 0 || counts.answered === 0) {
    process.stderr.write(`${way}: ${JSON.stringify(counts)}\n`)
    process.exit(1)
  }
  process.exit(0)
}
setInterval(() => {
  const due = (performance.now() - began) * PER_MS
  while (counts.sent < due) sendOne()
}, TURN_MS)
setTimeout(finish, Number(ms))
process.once("SIGTERM", finish)
