/** The view Context: what the model reads. */
import { ViewHead } from "../../parts/ViewHead.tsx"

export const Context = () => <ViewHead title="Context" about="what the model reads" />
