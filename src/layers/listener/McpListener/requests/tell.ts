/** News for a client, as notifications. */
import type { Server } from "@modelcontextprotocol/server"
import type { OfferChange } from "../../../../services/listener/McpListener.ts"

/** Done when it has been handed over. */
export const tell = (server: Server, change: OfferChange): Promise<void> => {
  switch (change.kind) {
    case "tools":
      return server.sendToolListChanged()
    case "resources":
      return server.sendResourceListChanged()
    case "prompts":
      return server.sendPromptListChanged()
    case "resource":
      return server.sendResourceUpdated({ uri: change.uri })
  }
}
