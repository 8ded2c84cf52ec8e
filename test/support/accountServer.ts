/**
 * A real MCP server over HTTP (of the official SDK) with an authorization server of its own: whoever calls says who they are there. It remembers what a
 * connection was told, and which tokens came to it.
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import * as Effect from "effect/Effect"
import { createRemoteJWKSet, jwtVerify } from "jose"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { z } from "zod"

interface Session {
  readonly transport: StreamableHTTPServerTransport
  readonly notes: Array<string>
  subject: string
}

export const accountServer = (issuer: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
      const sessions = new Map<string, Session>()
      /** Of each session, whose tokens came with its requests. */
      const met: Array<{ readonly session: string; readonly subject: string }> = []
      const good = new Set<string>()
      const revoked = new Set<string>()
      let isBusy = false
      let refusals = 0
      const node = createServer((incoming, response) => {
        handle(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
      })
      await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve))
      const origin = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
      const url = `${origin}/mcp`

      const subjectOf = async ({ headers }: IncomingMessage): Promise<string | undefined> => {
        const [, token] = /^Bearer (\S+)$/.exec(headers.authorization ?? "") ?? []
        if (token === undefined) return undefined
        try {
          const { payload } = await jwtVerify(token, keys, { issuer, audience: url })
          if (revoked.has(token)) return undefined
          good.add(token)
          return payload.sub
        } catch {
          return undefined
        }
      }

      const made = async (subject: string): Promise<Session> => {
        const server = new McpServer({ name: "tickets", version: "1" })
        const session: Session = {
          transport: new StreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            onsessioninitialized: (id) => void sessions.set(id, session)
          }),
          notes: [],
          subject
        }
        const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] })
        server.registerTool("whoami", { description: "Who you are here" }, () => text(`you are ${session.subject}`))
        server.registerTool("note", { description: "Keeps a note", inputSchema: { note: z.string() } }, ({ note }) => {
          session.notes.push(note)
          return text(`notes: ${session.notes.join(", ")}`)
        })
        server.registerTool("long", { description: "A long text" }, () =>
          text(`of ${session.subject}: ${`secret of ${session.subject} `.repeat(20_000)}`)
        )
        await server.connect(session.transport as Parameters<typeof server.connect>[0])
        return session
      }

      const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
        const path = (incoming.url ?? "").split("?")[0]
        if (path === "/.well-known/oauth-protected-resource/mcp") {
          response.writeHead(200, { "content-type": "application/json" })
          return response.end(
            JSON.stringify({ resource: url, authorization_servers: [issuer], scopes_supported: ["mcp"] })
          )
        }
        if (isBusy) {
          refusals++
          return response.writeHead(503, { "retry-after": "600" }).end()
        }
        const subject = await subjectOf(incoming)
        if (subject === undefined) {
          const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
          return response.writeHead(401, { "www-authenticate": challenge }).end()
        }
        const id = incoming.headers["mcp-session-id"]
        const session = typeof id === "string" ? sessions.get(id) : await made(subject)
        if (session === undefined) return response.writeHead(404).end()
        if (typeof id === "string") met.push({ session: id, subject })
        session.subject = subject
        return session.transport.handleRequest(incoming, response)
      }
      return {
        url,
        node,
        met,
        /** Whether it wants everybody to come back in ten minutes. */
        busy: (is: boolean) => void (isBusy = is),
        refusals: () => refusals,
        /** Tokens that came until now are not good any more. */
        revoke: () => {
          for (const token of good) revoked.add(token)
        }
      }
    }),
    ({ node }) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            node.closeAllConnections()
            node.close(() => resolve())
          })
      )
  )
