/** A text of a result, with what was found in it marked where it stands. */
import { useMemo } from "preact/hooks"
import type { Finding } from "../../../../schemas/content/Finding.ts"
import { FINDING_PLACES_TEXT_MAX_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { useAsked } from "../store/useAsked.ts"
import type { Mark } from "../text/marks.ts"
import { ServerText } from "../text/ServerText.tsx"
import { haveStaying, marksAt } from "./blocks.ts"

export const TextBlock = (props: {
  readonly text: string
  readonly marks: ReadonlyArray<Mark>
  readonly findings: ReadonlyArray<Finding>
}) => {
  const { findings, marks, text } = props
  const isAsked = haveStaying(findings) && text !== ""
  const places = useAsked("FindingPlaces", isAsked ? { text: text.slice(0, FINDING_PLACES_TEXT_MAX_CHARS) } : null)
  const all = useMemo(() => [...marks, ...marksAt(places.value ?? [])], [marks, places.value])
  return <ServerText text={text} marks={all} />
}
