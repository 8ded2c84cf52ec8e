/** The view Overview: what each server does, at a glance. */
import { ViewHead } from "../../parts/ViewHead.tsx"

export const Overview = () => <ViewHead title="Overview" about="what each server does, at a glance" />
