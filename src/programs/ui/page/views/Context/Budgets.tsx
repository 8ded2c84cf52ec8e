/** What the context costs, and the limits that apply. Tokens are an estimate. */
import type { ContextValue } from "../../../../../schemas/control/ContextView.ts"

const count = new Intl.NumberFormat("en")

export const Budgets = ({ context }: { readonly context: ContextValue }) => {
  const { budgets, isSearched, resourceTokens, searchedTokens, toolTokens, tools } = context
  const facts: ReadonlyArray<readonly [string, string, string]> = [
    ["In all", `${count.format(resourceTokens + toolTokens)} tokens`, "estimated, before the first message"],
    ["Tool list", `${count.format(toolTokens)} tokens`, `${tools.length} tools`],
    [
      "Resource block",
      `${count.format(resourceTokens)} tokens`,
      `at most ${count.format(budgets.resourceBytes)} bytes`
    ],
    ...(isSearched
      ? [
          [
            "Found by search",
            `${count.format(searchedTokens)} tokens`,
            "of tools that are not sent before they are searched"
          ] as const
        ]
      : [])
  ]
  return (
    <dl class="figures">
      {facts.map(([name, value, about]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <strong>{value}</strong> <span class="quiet">{about}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
