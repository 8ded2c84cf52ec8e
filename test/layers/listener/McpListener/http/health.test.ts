/** What a load balancer is told. */
import { assert, describe, it } from "@effect/vitest"
import { addressOf } from "../../../../../src/layers/listener/McpListener/http/addresses.ts"
import { readiness } from "../../../../../src/layers/listener/McpListener/http/health.ts"
import type { Directory } from "../../../../../src/services/listener/SessionDirectory.ts"

const node = (isDraining: boolean, isCurrent: boolean) =>
  ({ isDraining: () => isDraining, isCurrent: () => isCurrent }) as Directory

describe("the addresses for load balancers", () => {
  it("are below that of the health", () => {
    assert.deepStrictEqual(addressOf("/health/live", false)?.kind, "health")
    assert.deepStrictEqual(addressOf("/health/ready?x=1", false)?.kind, "ready")
    assert.deepStrictEqual(addressOf("/up/ready", false, "/up")?.kind, "ready")
    assert.isUndefined(addressOf("/health/other", false))
  })

  it("say that requests may come, unless this is a node of a fleet that ends or has to be confirmed", () => {
    assert.strictEqual(readiness(undefined, false), "ok")
    assert.strictEqual(readiness(node(false, true), false), "ok")
    assert.strictEqual(readiness(node(false, true), true), "full")
    assert.strictEqual(readiness(node(false, false), true), "waiting")
    assert.strictEqual(readiness(node(true, true), true), "draining")
  })
})
