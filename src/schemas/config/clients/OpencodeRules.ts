/**
 * What the rules of OpenCode say of the tools of one server. They stand beside the servers, name tools as `SERVER_TOOL`, and the last one that
 * matches counts. Source: github.com/anomalyco/opencode, packages/web/src/content/docs, permissions.mdx and mcp-servers.mdx.
 */
import { matchesGlob, restsAfter } from "../../data/Glob.ts"
import { isObject } from "../../data/Json.ts"
import { membersOf } from "../Fields.ts"
import type { Beside } from "./Format.ts"

type Action = "allow" | "ask" | "deny"

interface Rule {
  readonly glob: string
  readonly action: Action
  readonly key: "permission" | "tools"
}

const isAction = (value: unknown): value is Action => value === "allow" || value === "ask" || value === "deny"

/** `tools` is the older form, and counts first. Rules with an object are for the arguments of OpenCode's own tools. */
const rulesOf = ({ permission, tools }: Readonly<Record<string, unknown>>): ReadonlyArray<Rule> => [
  ...(isObject(tools) ? membersOf(tools) : []).flatMap(([glob, on]): ReadonlyArray<Rule> =>
    typeof on === "boolean" ? [{ glob, action: on ? "allow" : "deny", key: "tools" }] : []
  ),
  ...(isObject(permission) ? membersOf(permission) : [["*", permission] as const]).flatMap(
    ([glob, action]): ReadonlyArray<Rule> => (isAction(action) ? [{ glob, action, key: "permission" }] : [])
  )
]

/** Whether a glob matches whatever the other one matches. */
const covers = (glob: string, other: string): boolean =>
  matchesGlob(glob, other) && (glob === other || !(glob.includes("?") && other.includes("*")))

/** Those for tools of this server, in their own names; without the ones that a later one replaces. */
const ownRules = (root: Readonly<Record<string, unknown>>, name: string): ReadonlyArray<Rule> => {
  const prefix = `${name.replace(/[^\w-]/g, "_")}_`
  return rulesOf(root)
    .flatMap((rule) => {
      // The name of the server alone means all of its tools.
      const globs = rule.glob === name || `${rule.glob}_` === prefix ? ["*"] : restsAfter(rule.glob, prefix)
      return globs.map((glob): Rule => ({ ...rule, glob }))
    })
    .reduce<ReadonlyArray<Rule>>((far, rule) => [...far.filter(({ glob }) => !covers(rule.glob, glob)), rule], [])
}

const EXCEPTION =
  "has an exception to a wider rule, which mcp-live does not have: the wider one counts for all its tools"

const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 }

/** As the lists that an entry has. */
export const opencodeRules = (root: Readonly<Record<string, unknown>>, name: string): ReadonlyArray<Beside> => {
  const rules = ownRules(root, name)
  const hasException = rules.some(({ action, glob }) =>
    rules.some((wider) => STRICTNESS[wider.action] > STRICTNESS[action] && covers(wider.glob, glob))
  )
  const lists = (["deny", "ask"] as const).flatMap((action): ReadonlyArray<Beside> => {
    const found = rules.filter((rule) => rule.action === action)
    const [first] = found
    if (first === undefined) return []
    const own = ["tools", action === "deny" ? "exclude" : "ask"]
    return [{ own, value: found.map(({ glob }) => glob), path: [first.key] }]
  })
  return lists.map((list, i) => (i === 0 && hasException ? { ...list, remark: EXCEPTION } : list))
}
