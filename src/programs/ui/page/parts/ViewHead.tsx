/** The heading of a view. It takes the focus when the view is shown, so that a screen reader says where the page is. */
import type { ComponentChildren } from "preact"

export const ViewHead = ({
  about,
  children,
  title
}: {
  readonly title: string
  readonly about?: string | undefined
  /** What can be done with the view as a whole. */
  readonly children?: ComponentChildren
}) => (
  <header class="view-head">
    <div>
      <h1 id="view-title" tabIndex={-1}>
        {title}
      </h1>
      {about === undefined ? null : <p class="quiet">{about}</p>}
    </div>
    {children === undefined ? null : <div class="actions">{children}</div>}
  </header>
)
