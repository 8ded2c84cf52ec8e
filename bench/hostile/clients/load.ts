import type { ClientName, MakeSubject } from "./subject.ts"

/** Loaded only when asked for: a worker must not pay for the others. */
export const loadSubject = async (name: ClientName): Promise<MakeSubject> => {
  switch (name) {
    case "sdk-v1":
      return (await import("./sdkV1.ts")).sdkV1
    case "sdk-v2":
      return (await import("./sdkV2.ts")).sdkV2
    case "mcp-live":
      return (await import("./live.ts")).live
  }
}
