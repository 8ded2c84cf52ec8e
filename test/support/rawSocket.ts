/** Bytes on a socket, and what comes back until the other end closes it or has answered once. */
import { once } from "node:events"
import { connect } from "node:net"

/** The status of the first response to these bytes. */
export const statusOf = async (port: number, bytes: string): Promise<number> => {
  const socket = connect(port, "127.0.0.1")
  try {
    socket.write(bytes)
    const [chunk] = (await once(socket, "data")) as [Buffer]
    return Number(/^HTTP\/1\.1 (\d{3}) /.exec(chunk.toString("latin1"))?.[1])
  } finally {
    socket.destroy()
  }
}

/** A request for `body` with these lines in its head, between the request line and the body. */
export const rawRequest = (lines: ReadonlyArray<string>, body: string, version = "HTTP/1.1", path = "/mcp"): string =>
  [`POST ${path} ${version}`, ...lines, "", body].join("\r\n")

const chunked = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`

/**
 * Requests that are well-formed for Node's parser, and that a proxy may understand in another way: by name, with the status that RFC 9110
 * and RFC 9112 demand. The first two are good ones.
 */
export const ambiguous = (
  port: number,
  token: string,
  body: string
): Readonly<Record<string, readonly [status: number, bytes: string]>> => {
  const host = `host: 127.0.0.1:${port}`
  const rest = [
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    "accept: application/json, text/event-stream"
  ]
  const length = `content-length: ${Buffer.byteLength(body)}`
  return {
    "a length": [200, rawRequest([host, ...rest, length], body)],
    chunks: [200, rawRequest([host, ...rest, "Transfer-Encoding: Chunked"], chunked(body))],
    "the same Host twice": [400, rawRequest([host, ...rest, length, host], body)],
    "a second Host": [400, rawRequest([host, ...rest, length, "Host: example.com"], body)],
    "no Host": [400, rawRequest([...rest, length], body)],
    "HTTP/2.0": [505, rawRequest([host, ...rest, length], body, "HTTP/2.0")],
    "a coding before chunked": [501, rawRequest([host, ...rest, "transfer-encoding: gzip, chunked"], chunked(body))],
    "two lines of codings": [
      501,
      rawRequest([host, ...rest, "transfer-encoding: gzip", "transfer-encoding: chunked"], chunked(body))
    ],
    "chunked twice": [400, rawRequest([host, ...rest, "transfer-encoding: chunked, chunked"], chunked(body))],
    "a length and chunks": [400, rawRequest([host, ...rest, length, "transfer-encoding: chunked"], chunked(body))]
  }
}
