/** The clients by name, each loaded only when asked for: a worker must not pay for the others. */
import type { ClientKind } from "./client.ts"

export type KindName = "raw" | "sdk-v1" | "sdk-v2" | "effect" | "mcp-live" | "loaded" | "ai-sdk"

export const loadKind = async (name: KindName): Promise<ClientKind> => {
  switch (name) {
    case "raw":
      return (await import("./rawClient.ts")).rawClient
    case "sdk-v1":
      return (await import("./sdkClientV1.ts")).sdkV1
    case "sdk-v2":
      return (await import("./sdkClientV2.ts")).sdkV2
    case "effect":
      return (await import("./effectClient.ts")).effectClient
    case "mcp-live":
      return (await import("./liveClient.ts")).liveClient
    case "loaded":
      return (await import("./loopClients.ts")).loadedTool
    case "ai-sdk":
      return (await import("./loopClients.ts")).aiSdkTool
  }
}

export const loadKinds = (...names: ReadonlyArray<KindName>): Promise<ReadonlyArray<ClientKind>> =>
  Promise.all(names.map(loadKind))
