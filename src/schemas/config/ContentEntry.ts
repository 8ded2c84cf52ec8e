/** `contentMode` and `onFinding` of a server: how a model sees its text, and when it does not. */
import { type ContentPolicy, DEFAULT_CONTENT_POLICY } from "../content/ContentPolicy.ts"
import { FINDING_KINDS, type FindingKind } from "../content/Finding.ts"
import type { Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import { chooseWord, type Resolved } from "./Resolve.ts"
import { FINDING } from "./ServerParts.ts"
import type { ServerFields } from "./ServerEntry.ts"

/** `resolve` expands variables. An invalid value is reported, and the default is used in its place. */
export const buildContent = (
  report: Report,
  resolve: (located: Located<string>) => Resolved,
  mode: ContentPolicy["mode"] | undefined,
  onFinding: ServerFields["onFinding"]
): ContentPolicy => {
  const isWithheld = (located: Located<string>) => chooseWord(report, FINDING, located, resolve(located)) === "withhold"
  const withheld = ({ path, value }: NonNullable<ServerFields["onFinding"]>): ReadonlyArray<FindingKind> =>
    typeof value === "string"
      ? isWithheld({ path, value })
        ? FINDING_KINDS
        : []
      : FINDING_KINDS.filter(
          (kind) => value[kind] !== undefined && isWithheld({ path: [...path, kind], value: value[kind] })
        )
  return {
    mode: mode ?? DEFAULT_CONTENT_POLICY.mode,
    withhold: onFinding === undefined ? DEFAULT_CONTENT_POLICY.withhold : withheld(onFinding)
  }
}
