/** A small table with a heading. */
export interface PlainProps {
  readonly title: string
  /** Said instead of a table without rows. */
  readonly empty: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

export const Plain = ({ columns, empty, rows, title }: PlainProps) => {
  const id = `${title.toLowerCase().replaceAll(" ", "-")}-title`
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {rows.length === 0 ? (
        <p class="quiet">{empty}</p>
      ) : (
        <div class="scrolls" tabIndex={0} role="group" aria-labelledby={id}>
          <table class="plain">
            <thead>
              <tr>
                {columns.map((column) => (
                  <th scope="col" key={column}>
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.join(" ")}>
                  {row.map((cell, i) => (
                    <td key={columns[i]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
