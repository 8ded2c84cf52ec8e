/** The views: their names, the keys that lead to them, and their code, which is loaded when a view is first shown. */
import type { ComponentType } from "preact"
import type { ViewName } from "../router.ts"

export interface ViewEntry {
  readonly title: string
  /** After `g`. */
  readonly key: string
  readonly load: () => Promise<ComponentType>
}

export const VIEW_ENTRIES: Readonly<Record<ViewName, ViewEntry>> = {
  overview: { title: "Overview", key: "o", load: async () => (await import("./Overview/Overview.tsx")).Overview },
  server: { title: "Server", key: "s", load: async () => (await import("./Server/Server.tsx")).Server },
  tools: { title: "Tools", key: "t", load: async () => (await import("./Tools/Tools.tsx")).Tools },
  calls: { title: "Calls", key: "c", load: async () => (await import("./Calls/Calls.tsx")).Calls },
  questions: { title: "Questions", key: "q", load: async () => (await import("./Questions/Questions.tsx")).Questions },
  pins: { title: "Pins", key: "p", load: async () => (await import("./Pins/Pins.tsx")).Pins },
  context: { title: "Context", key: "x", load: async () => (await import("./Context/Context.tsx")).Context },
  configuration: {
    title: "Configuration",
    key: "f",
    load: async () => (await import("./Configuration/Configuration.tsx")).Configuration
  },
  account: { title: "Account", key: "a", load: async () => (await import("./Account/Account.tsx")).Account },
  nodes: { title: "Nodes", key: "n", load: async () => (await import("./Nodes/Nodes.tsx")).Nodes }
}
