/** The view Questions: what waits for a person. */
import { ViewHead } from "../../parts/ViewHead.tsx"

export const Questions = () => <ViewHead title="Questions" about="what waits for a person" />
