/** Persons connect their accounts at a fleet, whose load balancer sends each request of a browser to another node. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { linkIn, willing } from "../integration/serve/accountsGateway.ts"
import { accountServer } from "../support/accountServer.ts"
import { PEERS_SECRET } from "../support/fleetDatabase.ts"
import { inFolder } from "../support/folder.ts"
import { freePort } from "../support/freePort.ts"
import { startBalancer } from "../support/listenerFleet.ts"
import { connected, listed } from "../support/mcpClients.ts"
import { tokenAt } from "../support/issuerToken.ts"
import { oidcProvider } from "../support/oidcProvider.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"
import { start } from "./program.ts"

describePostgres("accounts at servers, in a fleet", () => {
  it.live("a page is found at any node, and the account is that of the person at all nodes", () =>
    Effect.gen(function* () {
      const { url: database } = yield* newDatabase()
      const next = { issuer: "ada", server: "ada-at-tickets" }
      const { issuer } = yield* oidcProvider({ person: () => next.issuer })
      const { issuer: other } = yield* oidcProvider({ person: () => next.server })
      const server = yield* accountServer(other)
      const ports = [yield* freePort, yield* freePort]
      const balancer = yield* startBalancer(ports.map((port) => `http://127.0.0.1:${port}`))
      const resource = new URL("/mcp", balancer.url).href
      for (const [i, port] of ports.entries()) {
        const [folder, peerPort] = [yield* inFolder, yield* freePort]
        const file = join(folder, "openclaw.json")
        const config = {
          mcp: {
            fleet: { database, name: `node-${i}`, listen: `127.0.0.1:${peerPort}`, peers: { secret: PEERS_SECRET } },
            servers: { tickets: { url: server.url, auth: { type: "oauth", per: "person" } } },
            clients: { resource, issuers: [{ issuer, scopes: ["mcp"], claims: { person: "email" } }] }
          }
        }
        writeFileSync(file, JSON.stringify(config))
        const running = yield* start(["serve", "--http", "--port", String(port), "--config", file], {
          env: { MCP_LIVE_HOME: join(folder, "home") }
        })
        yield* running.until(/serving MCP at/)
      }
      const token = yield* tokenAt(issuer, resource)
      const ada = willing(next, "ada")
      const first = yield* connected("2025-11-25", { url: resource, token })
      const told = yield* Effect.promise(() => first.call("mcp_tickets_connect_account"))
      const end = yield* Effect.promise(() => ada.connects(linkIn(told)))
      assert.include(end.text, "Your account is connected")
      const second = yield* connected("2025-11-25", { url: resource, token })
      const third = yield* connected("2026-07-28", { url: resource, token })
      for (const client of [first, second, third]) {
        yield* listed(client, "tools/list", "mcp_tickets_whoami")
        assert.include(yield* Effect.promise(() => client.call("mcp_tickets_whoami")), "you are ada-at-tickets")
      }
      next.issuer = "grace"
      const grace = yield* connected("2025-11-25", { url: resource, token: yield* tokenAt(issuer, resource) })
      assert.include(yield* Effect.promise(() => grace.call("mcp_tickets_connect_account")), "/login/")
      for (const port of ports) assert.isAbove(balancer.counts.get(`http://127.0.0.1:${port}`) ?? 0, 2)
    })
  )
})
