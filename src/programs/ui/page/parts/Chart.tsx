/** A small chart over time. Its library is loaded with the first one; until then there is the caption, which has the figures. */
import type UPlot from "uplot"
import { useEffect, useRef } from "preact/hooks"
import { usePage, useStore } from "../store/context.ts"
import { colorOf } from "../theme.ts"

export interface Series {
  readonly label: string
  readonly color: `--${string}`
  /** `null` where there is none. */
  readonly values: ReadonlyArray<number | null>
  /** Bars for what is counted, lines for what is measured. */
  readonly isBars?: boolean
}

export interface ChartProps {
  readonly title: string
  /** The present figure. */
  readonly now: string
  /** Milliseconds since the epoch. */
  readonly at: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly format: (value: number) => string
}

const HEIGHT = 100
const WHOLE = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

const optionsOf = (library: typeof UPlot, box: HTMLElement, { format, series }: ChartProps): UPlot.Options => {
  const line = colorOf("--line", box)
  const quiet = colorOf("--quiet", box)
  const font = `11px ${getComputedStyle(box).fontFamily}`
  return {
    width: box.clientWidth,
    height: HEIGHT,
    // At the right, room for half of a time.
    padding: [6, 16, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      {
        stroke: quiet,
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 22,
        gap: 6,
        space: 70,
        values: times
      },
      {
        stroke: quiet,
        font,
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        size: 46,
        gap: 4,
        space: 28,
        // What is counted has no halves.
        ...(series.every(({ isBars }) => isBars === true) ? { incrs: WHOLE } : {}),
        values: (_, splits) => splits.map(format)
      }
    ],
    series: [
      {},
      ...series.map(({ color, isBars = false, label }) => {
        const stroke = colorOf(color, box)
        return isBars
          ? { label, fill: stroke, width: 0, points: { show: false }, paths: library.paths.bars!({ size: [0.8, 12] }) }
          : { label, stroke, width: 1.5, points: { show: true, size: 4, fill: stroke }, spanGaps: false }
      })
    ]
  }
}

const times: UPlot.Axis.DynamicValues = (_, splits) =>
  splits.map((at) => {
    const date = new Date(at * 1_000)
    return `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}`
  })

const dataOf = ({ at, series }: ChartProps): UPlot.AlignedData => [
  at.map((ms) => ms / 1_000),
  ...series.map(({ values }) => [...values])
]

export const Chart = (props: ChartProps) => {
  const { theme } = usePage()
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<UPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const colours = theme.turn.value
  const isReachable = useStore().link.value.state === "open"
  useEffect(() => {
    const element = box.current!
    let isOver = false
    const watcher = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height: HEIGHT }))
    const draw = async () => {
      const { default: library } = await import("uplot")
      if (isOver) return
      chart.current = new library(optionsOf(library, element, latest.current), dataOf(latest.current), element)
      watcher.observe(element)
    }
    // Without the gateway, the library cannot be loaded. It is tried again when the gateway is back.
    draw().catch(() => undefined)
    return () => {
      isOver = true
      watcher.disconnect()
      chart.current?.destroy()
      chart.current = undefined
    }
  }, [colours, isReachable, props.series.length])
  useEffect(() => chart.current?.setData(dataOf(latest.current)))
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{props.title}</span>
        <strong>{props.now}</strong>
        {props.series.length < 2 ? null : (
          <span class="legend">
            {props.series.map(({ color, label }) => (
              <span key={label}>
                <i style={{ background: `var(${color})` }} /> {label}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <div ref={box} class="chart-box" aria-hidden="true" />
    </figure>
  )
}
