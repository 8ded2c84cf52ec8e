import { assert, describe, it } from "@effect/vitest"
import { ownersOf } from "../../../../src/programs/cli/servers/owners.ts"
import type { GatewayConfig } from "../../../../src/schemas/config/GatewayConfig.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

describe("the servers that a name may mean", () => {
  it("are all only for a name that begins like none of theirs; the name of a server is its own", () => {
    const servers = [serverConfig("files"), serverConfig("web")]
    const config = { agents: [{ id: "main", servers }] } as unknown as GatewayConfig
    const namesFor = (name: string) => ownersOf(name)(config).agents[0]!.servers.map((server) => server.name)
    assert.deepStrictEqual(namesFor("files"), ["files"])
    assert.deepStrictEqual(namesFor("files/read"), ["files"])
    assert.deepStrictEqual(namesFor("mcp_web_fetch"), ["web"])
    assert.deepStrictEqual(namesFor("fils"), ["files", "web"])
  })
})
