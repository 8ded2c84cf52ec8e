/**
 * The version matrix: servers of every revision of the protocol, over every transport they have, behind the whole runtime,
 * with the same expectations in every cell.
 */
import { layer } from "@effect/vitest"
import { makeCell, silentHost, willingHost } from "./matrix/cell.ts"
import { SILENT_HOST, WILLING_HOST } from "./matrix/expectations.ts"
import { PEERS, type Transport } from "./matrix/peers.ts"

for (const peer of PEERS) {
  for (const transport of Object.keys(peer.start) as ReadonlyArray<Transport>) {
    for (const [host, provide, expectations] of [
      ["a willing host", willingHost, WILLING_HOST],
      ["a host that offers nothing", silentHost, SILENT_HOST]
    ] as const) {
      const cell = makeCell(peer, transport)
      layer(provide(cell), { excludeTestServices: true, timeout: "60 seconds" })(
        `${peer.name} over ${transport}, ${host}`,
        (it) => {
          for (const [promise, body] of Object.entries(expectations)) it.effect(promise, () => body(cell))
        }
      )
    }
  }
}
