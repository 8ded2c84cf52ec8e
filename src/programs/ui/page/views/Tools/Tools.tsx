/** The view Tools: the tools as an agent gets them, and a form to call them. */
import { ViewHead } from "../../parts/ViewHead.tsx"

export const Tools = () => <ViewHead title="Tools" about="the tools as an agent gets them, and a form to call them" />
